import { outcomeUnknown } from '../../../engine/retry.ts';
import { TabloomError } from '../../../model/errors.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { Acting } from '../acting.ts';
import { markActed } from '../filled.ts';
import { actAndFollow, type OnceOutcome } from '../follow.ts';
import type { OnceOp } from '../once.ts';
import type { ActContext, PageAct } from './context.ts';

/** Does what must not be done twice, and notes that what was filled in before is not all that was done to the page. */
export async function actedOnce(
  context: ActContext,
  acting: Acting,
  op: OnceOp,
  args: JsonObject,
): Promise<OnceOutcome> {
  const { driver, call } = context;
  const { tab } = acting;
  const note = (): Promise<void> =>
    context.note(markActed(driver.host.tabs(call), tab.tab), tab).catch(() => undefined);
  let outcome: OnceOutcome;
  try {
    outcome = await actAndFollow(driver, acting, op, args, context.token);
    context.opened = outcome.openedTab !== null;
    context.blocked = outcome.blocked;
  } catch (error) {
    if (!TabloomError.is(error) || outcomeUnknown(error.info)) await note();
    throw error;
  }
  await Promise.all([note(), context.hearDialogs(tab)]);
  return outcome;
}

export const click: PageAct = async (context, acting, args) => {
  const { matched, url, openedTab } = await actedOnce(context, acting, 'click', args);
  const output = { matched: matched ?? 0, url, openedTab };
  const done = await context.withDialogs(output, acting.tab, matched);
  return { ...done, output: { ...output, dialogs: [], ...(done.output as JsonObject) } };
};
