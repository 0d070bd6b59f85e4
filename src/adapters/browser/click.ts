import { TabloomError } from '../../model/errors.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Acting, Driver } from './acting.ts';
import { asError, askPage, makeRequest, withTargets } from './ask.ts';
import type { BrowserTab } from './browser-api.ts';
import { type Before, beforeAct, checkedTab, followNavigation, watchLoading } from './navigation.ts';

/** How long a navigation or a new tab may take to begin after a click, milliseconds. */
const GRACE = 150;

export interface ClickResult {
  output: Json;
  matched: number | undefined;
}

/**
 * Clicks once. First the element is looked for and waited for; the click itself is a request of its own that either happens at once or not
 * at all. Where the document goes away during that request, the click has happened: it is what sent it away.
 * @throws TabloomError with `acted: true` when it is not known whether the page was clicked.
 */
export async function clickElement(
  driver: Driver,
  acting: Acting,
  args: JsonObject,
  token: string,
): Promise<ClickResult> {
  const opened: BrowserTab[] = [];
  const watch = watchLoading(driver, acting.tab.browserTabId);
  const onCreated = (created: BrowserTab): void => {
    if (created.openerTabId === acting.tab.browserTabId) opened.push(created);
  };
  driver.browser.tabs.onCreated.addListener(onCreated);
  try {
    const { matched, before } = await clickOnce(driver, acting, args, token);
    await followNavigation(driver, acting, watch, before, GRACE).catch(() => undefined);
    const adopted = opened.map((tab) => driver.host.adopt(acting.call, tab)).filter((tab) => tab !== undefined);
    const after = await driver.host.look(acting.call, acting.tab.tab).catch(() => undefined);
    const output = { matched: matched ?? 0, url: after?.url ?? null, openedTab: adopted[0]?.tab ?? null, dialogs: [] };
    return { output, matched };
  } finally {
    watch.stop();
    driver.browser.tabs.onCreated.removeListener(onCreated);
  }
}

async function clickOnce(
  driver: Driver,
  acting: Acting,
  args: JsonObject,
  token: string,
): Promise<{ matched: number | undefined; before: Before }> {
  const { time } = acting;
  for (;;) {
    const { place, origin, group, matched } = await askPage(driver, acting, 'locate', { target: args.target as Json });
    const before = await beforeAct(driver, acting);
    await checkedTab(driver, acting);
    const request = makeRequest('click', withTargets(args, group), 0, origin, token);
    const asked = await driver.scripts.ask(place, request, time).catch((error: unknown) => {
      throw unknownOutcome(error);
    });
    if (asked.gone || asked.reply.ok) return { matched, before };
    const { wait, error } = asked.reply;
    if (!wait || time.over) throw asError(error);
  }
}

/** The request was sent, and what became of it is not known. */
function unknownOutcome(error: unknown): unknown {
  if (!TabloomError.is(error)) return error;
  const { code, message, ...more } = error.info;
  return new TabloomError(code, message, { ...more, acted: true });
}
