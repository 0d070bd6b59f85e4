import type { ApprovalRow } from '../../src/model/run.ts';

/** Which approvals can be looked at together: those of one step of one run. An act that is asked about again stands alone. */
export function groupOf(row: ApprovalRow): string {
  const own = row.path.slice(row.path.lastIndexOf('/') + 1) === row.gate;
  return `${row.runId}/${own ? row.gate : row.path}`;
}

const byPlace = new Intl.Collator('en', { numeric: true });

/** The approvals of a group, in the order of the run's items. */
export function membersOf(group: string, approvals: readonly ApprovalRow[]): ApprovalRow[] {
  return approvals.filter((row) => groupOf(row) === group).sort((a, b) => byPlace.compare(a.path, b.path));
}

/** Whether each must be opened by hand before it counts as looked at: nothing that cannot be undone is approved in passing. */
export const openedByHand = ({ risk }: ApprovalRow) => risk === 'irreversible' || risk === 'money';
