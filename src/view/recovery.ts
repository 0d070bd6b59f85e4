import { isObject } from '../model/json.ts';
import type { CoveredAct, Wait } from '../model/run.ts';

/** What a person needs to know to say what became of a step that was cut off. */
export interface RecoveryAsked {
  /** Code of what cut it off. */
  cause?: string;
  act?: CoveredAct;
  /** The page that the act was to happen on, as it was before. */
  page?: { url: string; title: string };
}

/** Reads it from the step's wait. What an older version has not written down is not there. */
export function recoveryAsked(wait: Pick<Wait, 'data'>): RecoveryAsked {
  const { data } = wait;
  if (!isObject(data)) return {};
  const asked: RecoveryAsked = {};
  if (isObject(data.error) && typeof data.error.code === 'string') asked.cause = data.error.code;
  if (isObject(data.act)) asked.act = data.act as unknown as CoveredAct;
  if (isObject(data.page)) asked.page = data.page as unknown as { url: string; title: string };
  return asked;
}

/** Which words say how it came to that: names the message `waits.recoveryWhy.<kind>`. */
export function recoveryCause(cause: string | undefined): 'interrupted' | 'timeout' | 'cancelled' | 'other' {
  return cause === 'interrupted' || cause === 'timeout' || cause === 'cancelled' ? cause : 'other';
}
