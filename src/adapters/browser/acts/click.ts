import { outcomeUnknown } from '../../../engine/retry.ts';
import { TabloomError } from '../../../model/errors.ts';
import type { JsonObject } from '../../../model/json.ts';
import { clickElement } from '../click.ts';
import { markActed } from '../filled.ts';
import type { PageAct } from './context.ts';

export const click: PageAct = async (context, acting, args) => {
  const { driver, call } = context;
  const { tab } = acting;
  let clicked = true;
  try {
    const { output, matched } = await clickElement(driver, acting, args, context.token);
    const done = await context.withDialogs(output, tab, matched);
    return { ...done, output: { ...output, dialogs: [], ...(done.output as JsonObject) } };
  } catch (error) {
    clicked = !TabloomError.is(error) || outcomeUnknown(error.info);
    throw error;
  } finally {
    if (clicked) await context.note(markActed(driver.host.tabs(call), tab.tab), tab).catch(() => undefined);
  }
};
