import { TabloomError } from '../../model/errors.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Acting, Driver } from './acting.ts';
import { asError, askPage, makeRequest, type PageAnswer, withTargets } from './ask.ts';
import type { BrowserTab } from './browser-api.ts';
import { type Before, beforeAct, checkedTab, followNavigation, watchLoading } from './navigation.ts';
import type { Place } from './page-scripts.ts';

/** How long a navigation or a new tab may take to begin after a click, milliseconds. */
const GRACE = 150;
/** Before a page that changes is looked at again, milliseconds. */
const PAUSE = 20;

export interface ClickResult {
  output: JsonObject;
  matched: number | undefined;
}

/**
 * Clicks once. First the element is looked for and waited for; the click itself is a request of its own that either happens at once or not
 * at all. Where it did not reach the document in which the element was found, nothing was clicked, and the element is looked for again.
 * Where the document went away during that request and its tab is still there, the click has happened: it is what sent it away.
 * @throws TabloomError with `acted: true` when it is not known whether the page was clicked, with `acted: false` when it was not for sure.
 */
export async function clickElement(
  driver: Driver,
  acting: Acting,
  args: JsonObject,
  token: string,
): Promise<ClickResult> {
  const opened: BrowserTab[] = [];
  const watch = watchLoading(driver, acting.tab.browserTabId);
  const expected = new Set<number>();
  const onCreated = (created: BrowserTab): void => {
    if (created.openerTabId !== acting.tab.browserTabId) return;
    opened.push(created);
    if (created.id === undefined) return;
    expected.add(created.id);
    driver.dialogs.expect(created.id);
  };
  driver.browser.tabs.onCreated.addListener(onCreated);
  try {
    const { matched, before } = await clickOnce(driver, acting, args, token);
    await followNavigation(driver, acting, watch, before, GRACE).catch(() => undefined);
    const adopted = opened.map((tab) => driver.host.adopt(acting.call, tab)).filter((tab) => tab !== undefined);
    const after = await driver.host.look(acting.call, acting.tab.tab).catch(() => undefined);
    const output = { matched: matched ?? 0, url: after?.url ?? null, openedTab: adopted[0]?.tab ?? null };
    return { output, matched };
  } finally {
    watch.stop();
    driver.browser.tabs.onCreated.removeListener(onCreated);
    if (expected.size > 0) driver.dialogs.expected(expected);
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
    acting.call.looking?.();
    const { place, origin, group, matched, before } = await lookFor(driver, acting, args.target as Json);
    const request = makeRequest('click', withTargets(args, group), 0, origin, token);
    time.check();
    acting.call.acting?.();
    const asked = await driver.scripts.ask(place, request, time).catch((error: unknown) => {
      throw unknownOutcome(error);
    });
    if (asked.gone === 'lost') {
      await checkSentAway(driver, acting, place);
      return { matched, before };
    }
    if (asked.gone === 'undelivered') {
      if (time.over) throw neverReached();
      await time.sleep(PAUSE);
      continue;
    }
    if (asked.reply.ok) return { matched, before };
    const { wait, error } = asked.reply;
    if (!wait || time.over) throw asError(error);
  }
}

/** All that comes before the click. What fails here has clicked nothing, whatever it is. */
async function lookFor(driver: Driver, acting: Acting, target: Json): Promise<PageAnswer & { before: Before }> {
  try {
    const answer = await askPage(driver, acting, 'locate', { target });
    const before = await beforeAct(driver, acting);
    await driver.dialogs.arm(acting.tab.browserTabId, acting.answer ?? null, answer.origin, acting.time.signal);
    await checkedTab(driver, acting);
    return { ...answer, before };
  } catch (error) {
    if (!TabloomError.is(error)) throw error;
    const { code, message, ...more } = error.info;
    throw new TabloomError(code, message, { ...more, acted: false });
  }
}

function neverReached(): TabloomError {
  return new TabloomError('timeout', 'Try again: the page kept changing its address, and nothing was clicked.', {
    acted: false,
  });
}

/**
 * The document of a click went away while it was being clicked. Fine where the tab is still there without that document.
 * @throws TabloomError with `acted: true` when the tab is gone too, or the document is there after all.
 */
async function checkSentAway(driver: Driver, acting: Acting, place: Place): Promise<void> {
  const { call, tab, time } = acting;
  try {
    await driver.host.look(call, tab.tab);
    for (;;) {
      const asked = await driver.scripts.ask(place, makeRequest('probe', {}, 0, ''), time);
      if (asked.gone === 'undelivered') return;
      if (!asked.gone || time.over) break;
      await time.sleep(PAUSE);
      await driver.host.look(call, tab.tab);
    }
  } catch (error) {
    // A page that we may not see into is another one than that which was clicked.
    if (TabloomError.is(error) && (error.code === 'permission_denied' || error.code === 'navigation_failed')) return;
    throw unknownOutcome(error, true);
  }
  throw new TabloomError(
    'internal',
    'Look at the page: the click got no answer, and it is not known whether it happened.',
    {
      acted: true,
    },
  );
}

/** The request was sent, and what became of it is not known, unless the error says so itself. */
function unknownOutcome(error: unknown, certain = false): unknown {
  if (!TabloomError.is(error)) return error;
  const { code, message, acted, ...more } = error.info;
  return new TabloomError(code, message, { ...more, acted: certain || (acted ?? true) });
}
