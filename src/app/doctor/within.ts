import { TabloomError, toErrorInfo } from '../../model/errors.ts';
import { isObject } from '../../model/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Fault, Looked } from '../../view/doctor/facts.ts';

/** A promise's value, or an error when it does not come in time. The work itself goes on. Milliseconds. */
export function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.setTimer(ms, () =>
      reject(new TabloomError('timeout', `There was no answer in ${Math.round(ms / 1000)} s.`)),
    );
    work.then(resolve, reject).finally(cancel);
  });
}

/** Looks at one part: its value, or why it could not be had. Never rejects, and never takes longer than `ms`. */
export async function looked<T>(clock: Clock, ms: number, work: () => Promise<T>): Promise<Looked<T>> {
  try {
    return { ok: true, value: await within(clock, ms, Promise.resolve().then(work)) };
  } catch (error) {
    return { ok: false, fault: faultOf(error) };
  }
}

/** Anything thrown, as a fault: the sentence, our code, and the browser's name for it. */
export function faultOf(error: unknown): Fault {
  const { code, message, details } = toErrorInfo(error);
  const name = isObject(details) && typeof details.name === 'string' ? details.name : undefined;
  return { code, message, ...(name === undefined ? {} : { name }) };
}
