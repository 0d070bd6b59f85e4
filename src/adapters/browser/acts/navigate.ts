import { TabloomError } from '../../../model/errors.ts';
import { isObject } from '../../../model/json.ts';
import type { RunTab } from '../../../model/run.ts';
import { clearFilled, markActed } from '../filled.ts';
import { goTo, sameDocument, untilOpened, type WaitFor } from '../navigation.ts';
import { openable, titleFor } from '../opening.ts';
import { pickTab } from '../run-tabs.ts';
import { answerOf, type TabAct } from './context.ts';

export const navigate: TabAct = async (context, given) => {
  const { driver, call, time } = context;
  const { host } = driver;
  const args = await context.fill(given);
  const rules = { sites: call.sites };
  const url = await openable(driver, call, args.url);
  const waitFor = args.waitFor as unknown as WaitFor;
  const answer = answerOf(args);
  const first = call.tab === undefined && host.tabs(call).current === undefined;
  let found: { url?: string; title?: string };
  let acted = false;
  let tab: RunTab;
  try {
    if (first) {
      acted = true;
      tab = await host.open(call, url, { current: true, active: true, answer });
      found = await untilOpened(driver, { call, tab, rules, time, read: false, answer }, url, waitFor);
    } else {
      if (call.reopen) await host.forgive(call, call.tab);
      const lost = pickTab(host.tabs(call), call.tab).session !== host.session;
      tab = await host.resolve(call, call.tab, false, rules, url);
      acted = true;
      const acting = { call, tab, rules, time, read: false, answer, noticed: context.noticed };
      // A tab that was opened again is on its way there already.
      const reach = lost && tab.url === url ? untilOpened : goTo;
      found = await reach(driver, acting, url, waitFor);
      // To a place within the page that is there, the fields stay as they are, and what they were for is not known any more.
      const within = tab.filled !== 'lost' && url.includes('#') && sameDocument(tab.url, url);
      const tabs = host.tabs(call);
      if (!within) await context.note(clearFilled(tabs, tab.tab), tab);
      else if (tab.filled) host.change(call, markActed(tabs, tab.tab));
    }
  } catch (error) {
    throw acted ? withActed(error) : error;
  }
  const at = found.url ?? url;
  return context.withDialogs({ url: at, title: titleFor(call, at, found.title ?? '') }, tab);
};

function withActed(error: unknown): unknown {
  if (!TabloomError.is(error)) return error;
  const { code, message, ...more } = error.info;
  const reason = isObject(more.details) ? more.details.reason : undefined;
  // The page was not left.
  if (reason === 'person' || reason === 'beforeunload') return error;
  return new TabloomError(code, message, { ...more, acted: true });
}
