import { isObject, type JsonObject } from '../../model/json.ts';
import { setStatus } from '../fold-steps.ts';
import type { RunState, StepState } from '../state.ts';

/** What the entries that only agents write do to the state, in place. */
export const CALL_EVENTS: Record<string, (state: RunState, step: StepState, at: number, data: JsonObject) => void> = {
  /** An agent begins an attempt; its calls so far stand. */
  'step.begun': (state, step, at, data) => {
    step.row.attempt = data.attempt as number;
    step.row.attempts = [...step.row.attempts, { number: step.row.attempt, startedAt: at }];
    step.row.startedAt ??= at;
    step.letIn = true;
    step.unknown = undefined;
    step.retryAt = undefined;
    if (isObject(data.input)) {
      step.fields = data.input;
      step.row.input = data.input;
    }
    setStatus(state, step, 'running');
  },
};
