import { FINAL_RUN } from '../../model/run.ts';
import { goOn } from '../flow.ts';
import { emit, type Machine } from '../machine.ts';
import { moveProblem, type Onto } from '../newer/move.ts';
import { rescan } from '../rescan.ts';
import { resetList, retried } from '../retry-run.ts';
import { endRun } from '../run-end.ts';

/** What the run that has called this one wants of it. */
export type OuterWish =
  | { want: 'hold' }
  | { want: 'go' }
  /** Its step is over, or it has ended itself. */
  | { want: 'cancel' }
  /** Its budget was raised. */
  | { want: 'look' }
  /** It has been called again: go on where it failed, perhaps under another revision. */
  | { want: 'again'; passage: number; onto?: Onto };

/** Said of a pause that came from the run around it; nobody else's is lifted with that run's. */
export const FROM_OUTSIDE: readonly string[] = ['the run around it', 'emergency stop'];

/** Does what the run around it wants, where that is not so already. */
export function takeOuter(m: Machine, wish: OuterWish): void {
  const { state } = m;
  const final = FINAL_RUN.includes(state.run.status);
  if (wish.want === 'again') {
    if (!final || state.run.status === 'completed' || state.undo || wish.passage <= state.passage) return;
    // Where it cannot, which was looked at when the retry was asked for, it goes on as it began.
    const onto = wish.onto && moveProblem(state, wish.onto.plan) === undefined ? wish.onto : undefined;
    retried(m, { by: FROM_OUTSIDE[0] as string, passage: wish.passage }, onto);
    if (state.root) resetList(m, state.root);
    rescan(m);
    return;
  }
  if (final) return;
  switch (wish.want) {
    case 'hold':
      if (!state.paused) emit(m, 'run.paused', undefined, { by: FROM_OUTSIDE[0] });
      break;
    case 'go':
      if (!state.paused || !FROM_OUTSIDE.includes(state.pausedBy ?? '')) break;
      emit(m, 'run.resumed', undefined, { by: FROM_OUTSIDE[0] });
      rescan(m);
      break;
    case 'cancel':
      if (!state.undo)
        endRun(m, 'cancelled', { code: 'cancelled', message: 'The run that had called it went on without it.' });
      break;
    case 'look':
      for (const step of [...state.busy]) {
        if (step.row.wait?.kind !== 'budget') continue;
        emit(m, 'step.resumed', step.row.path);
        goOn(m, step);
      }
      break;
  }
}
