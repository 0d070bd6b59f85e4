import { toErrorInfo } from '../../../model/errors.ts';
import { z } from '../../../model/zod.ts';
import { method } from './define.ts';

const waitMs = z.int().min(0).max(50_000);

/** Does one thing in the browser, in the client's own session. The call's key is what it is known by. */
export const browserCall = method(
  z.strictObject({
    tool: z.string().min(1).max(60),
    arguments: z.record(z.string(), z.json()),
    waitMs: waitMs.default(30_000),
  }),
  ({ app, params, call }) => app.clients.call(call, params.tool, params.arguments, params.waitMs),
);

/**
 * What became of a call of `browser.call` whose answer was lost. Answered from the journal, so that nothing is ever done a second time.
 * @returns `{state: never}` for one that has not arrived, `{state: done, value}` with what the call would have answered, `{state: failed,
 *   error}`, or `{state: unknown}`
 */
export const outcome = method(
  z.strictObject({ key: z.uuid(), waitMs: waitMs.default(5000) }),
  async ({ app, params, call }) => {
    try {
      const value = await app.clients.outcome(call, params.key, params.waitMs);
      return value === undefined ? { state: 'never' } : { state: 'done', value };
    } catch (error) {
      const { code, message } = toErrorInfo(error);
      return code === 'outcome_unknown' ? { state: 'unknown' } : { state: 'failed', error: { code, message } };
    }
  },
);

/** Asks again for a call that went on when it was answered. */
export const browserResult = method(
  z.strictObject({ call: z.uuid(), waitMs: waitMs.default(0) }),
  async ({ app, params, call }) => (await app.clients.outcome(call, params.call, params.waitMs)) ?? null,
);

/** Ends the client's session; the next call begins another one. */
export const browserEnd = method(z.strictObject({}), async ({ app, call }) => ({
  ended: await app.clients.end(call.caller.session),
}));
