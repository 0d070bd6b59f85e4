import type { JsonObject } from '../../../model/json.ts';
import type { Acting } from '../acting.ts';
import type { BrowserTab } from '../browser-api.ts';
import { checkFilled, fieldsToRestore } from '../filled.ts';
import type { GateRules } from '../gate.ts';
import { checkedTab, untilOpened } from '../navigation.ts';
import { untilViewIsLeft } from '../person.ts';
import { restorePage } from '../restore.ts';
import { pickTab } from '../run-tabs.ts';
import { inParallel } from '../time.ts';
import { type ActContext, answerOf, type Done, type PageAct } from './context.ts';

/** How an action uses its page. */
export interface PageUse {
  once: boolean;
  read: boolean;
  /** The page that it is for may be another one by the time it is there: each look is checked by itself. */
  anyPage: boolean;
}

/** Does an action inside a page: finds its tab, opens and fills it in again where it was lost, checks and shows it. */
export async function inPage(context: ActContext, given: JsonObject, use: PageUse, act: PageAct): Promise<Done> {
  const { driver, call, time } = context;
  const { host } = driver;
  const { once, read } = use;
  const rules: GateRules = { sites: call.sites, approvedOrigin: call.approvedOrigin };
  if (call.reopen) await host.forgive(call, call.tab);
  const known = pickTab(host.tabs(call), call.tab);
  const lost = known.session !== host.session;
  const back = call.restore === true || call.reopen === true;
  const restore = once && back && (lost || known.filled === 'lost');
  const fields = restore ? fieldsToRestore(known) : [];
  // For what only reads; the browser itself looks at the grant once more before it lets us in.
  const foreseen = lost || !read ? undefined : driver.gate.foresee(known.url);
  const { tab, found: seen } = await host.find(call, call.tab, once && !restore, rules);
  if (once && !restore) checkFilled(tab);
  const acting: Acting = { call, tab, rules, time, read, noticed: context.noticed };
  const opening = lost || host.isOpening(tab);
  if (restore) await restorePage(driver, acting, fields, (field) => context.fillField(field));
  else if (opening) await untilOpened(driver, acting, tab.url, 'load');
  const check = async (): Promise<BrowserTab | undefined> => {
    if (use.anyPage) return undefined;
    const found = await (restore || opening ? checkedTab(driver, acting) : checkedTab(driver, acting, seen, foreseen));
    if (found.active === false) await untilViewIsLeft(driver, call.runId, acting);
    return found;
  };
  const perform = async (found: BrowserTab | undefined): Promise<Done> => {
    if (found) {
      acting.checked = { found, at: driver.clock.now() };
      await host.bringForward(call, tab, found, read);
    }
    const { dialog, ...args } = await context.fill(given);
    acting.answer = answerOf({ dialog });
    return act(context, acting, args, given);
  };
  if (read) return reading(context, acting, check().then(perform));
  const [, found] = await inParallel([context.note(host.tabs(call), tab), check()]);
  return perform(found);
}

/**
 * What only reads has nothing for which it would have to be known before which document this is: the page says so with its answer, and is
 * asked for it where it gives none. After a failure it is not asked: a silent page would keep the error back until after the step's deadline.
 */
async function reading(context: ActContext, acting: Acting, work: Promise<Done>): Promise<Done> {
  const { call, driver } = context;
  const note = (): Promise<void> => context.note(driver.host.tabs(call), acting.tab, acting.mark);
  try {
    const done = await work;
    await note();
    return done;
  } catch (error) {
    if (acting.mark !== undefined) await note();
    throw error;
  }
}
