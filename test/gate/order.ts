/** What of a group says when it runs. */
interface Ordered {
  name: string;
  beside?: string;
}

/**
 * Groups in turn, those together that run at the same time. One that names a group to run beside starts with it, wherever it stands; where
 * that group is not there, it has a turn of its own.
 */
export function inTurn<G extends Ordered>(groups: readonly G[]): G[][] {
  const names = new Set(groups.map(({ name }) => name));
  const guests = groups.filter(({ beside }) => beside !== undefined && names.has(beside));
  return groups
    .filter((group) => !guests.includes(group))
    .map((host) => [host, ...guests.filter(({ beside }) => beside === host.name)]);
}
