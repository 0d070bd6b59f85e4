import type { Machine, Task } from './machine.ts';
import type { ListState, StepState } from './state.ts';

/*
 * Places of a loop. `concurrency` bounds how many items are at work. An item that only waits for people, timers or signals gives its
 * place to the next one (SPEC §5), and gets in line for one when it goes on.
 */

function limitOf(loop: StepState): number {
  return loop.fields
    ? (loop.plan.type.container?.places?.(loop.fields) ?? Number.POSITIVE_INFINITY)
    : Number.POSITIVE_INFINITY;
}

/** Makes sure that every loop item around `list` holds a place; otherwise keeps the task for later and returns false. */
export function holdPlace(m: Machine, list: ListState, task: Task): boolean {
  for (let at: ListState | undefined = list; at?.owner; at = at.owner.list) {
    const loop: StepState = at.owner;
    if (at.plan.role !== 'body' || !loop.plan.type.container) continue;
    const held: Set<ListState> = m.places.get(loop) ?? new Set();
    m.places.set(loop, held);
    if (held.has(at)) continue;
    if (held.size >= limitOf(loop)) {
      const parked = m.parked.get(loop);
      if (parked) parked.push(task);
      else m.parked.set(loop, [task]);
      return false;
    }
    held.add(at);
  }
  return true;
}

export function releasePlace(m: Machine, loop: StepState, list: ListState): void {
  m.places.get(loop)?.delete(list);
}

/** The loop has ended: nobody waits for its places any more. */
export function dropPlaces(m: Machine, loop: StepState): void {
  m.places.delete(loop);
  m.parked.delete(loop);
}

/** Tasks that waited for a place of that loop; they come before new items. */
export function parkedTasks(m: Machine, loop: StepState): Task[] {
  const tasks = m.parked.get(loop) ?? [];
  m.parked.delete(loop);
  return tasks;
}

/** True when a place is free and somebody may want it. */
export function nextOfLoop(m: Machine, loop: StepState): boolean {
  const free = (m.places.get(loop)?.size ?? 0) < limitOf(loop);
  const items = loop.plan.type.container?.item;
  if (!free || !loop.fields) return false;
  return (m.parked.get(loop)?.length ?? 0) > 0 || items?.(loop.fields, loop.opened) !== undefined;
}
