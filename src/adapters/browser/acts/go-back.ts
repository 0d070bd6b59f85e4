import { outcomeUnknown } from '../../../engine/retry.ts';
import { TabloomError } from '../../../model/errors.ts';
import type { Acting } from '../acting.ts';
import { goBack as back, nothing } from '../back.ts';
import { checkFilled, markActed } from '../filled.ts';
import { untilOpened } from '../navigation.ts';
import { pickTab } from '../run-tabs.ts';
import { answerOf, type TabAct } from './context.ts';

export const goBack: TabAct = async (context, given) => {
  const { driver, call, time } = context;
  const { host } = driver;
  const rules = { sites: call.sites, approvedOrigin: call.approvedOrigin };
  call.looking?.();
  const known = pickTab(host.tabs(call), call.tab);
  if (call.restore && known.session !== host.session) {
    throw nothing(
      `Run again from the step that opens the page: tab ${known.tab} was lost with the browser, and its history with it.`,
    );
  }
  const tab = await host.resolve(call, call.tab, true, rules);
  checkFilled(tab);
  const acting: Acting = { call, tab, rules, time, read: false, answer: answerOf(given), noticed: context.noticed };
  if (host.isOpening(tab)) await untilOpened(driver, acting, tab.url, 'load');
  await context.note(host.tabs(call), tab);
  let went = true;
  try {
    const found = await back(driver, acting);
    return await context.withDialogs({ url: found.url ?? tab.url, title: found.title ?? '' }, tab);
  } catch (error) {
    went = !TabloomError.is(error) || outcomeUnknown(error.info);
    throw error;
  } finally {
    if (went) {
      await context.note(host.tabs(call), tab).catch(() => undefined);
      // A page that the browser has kept may hold what the run had filled in there earlier, which nobody remembers.
      host.change(call, markActed(host.tabs(call), tab.tab));
    }
  }
};
