import type { PageOp } from '../../actions/protocol.ts';
import { TabloomError } from '../../model/errors.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Acting, Driver } from './acting.ts';
import { asError, askPage, makeRequest, noticeReply, type PageAnswer, withTargets } from './ask.ts';
import { type Before, checkedTab } from './navigation.ts';
import type { Place } from './page-scripts.ts';
import { somebodyThere } from './person.ts';

/** Before a page that changes is looked at again, milliseconds. */
const PAUSE = 20;
/** Before it is looked again whether a person has let the page alone, milliseconds. */
const PERSON_PAUSE = 100;

/** Requests that must not reach a page twice. */
export type OnceOp = Extract<PageOp, 'click' | 'type' | 'press_key' | 'drag' | 'upload_file' | 'download'>;

/** Brings the page what the act needs. @returns false where that document is gone */
export type Prepare = (place: Place, origin: string) => Promise<boolean>;

export interface OnceResult {
  value: Json;
  /** Which alternative of the target matched. */
  matched: number | undefined;
  /** The document that it was done in. */
  place: Place;
  origin: string;
  /** The tab's document before the act. */
  before: Before;
}

/**
 * Does something to a page that must not be done twice. First the element is looked for and waited for; the act itself is a request of its own
 * that either happens at once or not at all. Where it did not reach the document in which the element was found, nothing was done, and the
 * element is looked for again. Where the document went away during that request and its tab is still there, the act has happened: it is what
 * sent it away; its `value` is null then.
 * @throws TabloomError with `acted: true` when it is not known whether it was done, with `acted: false` when it was not for sure.
 */
export async function actOnce(
  driver: Driver,
  acting: Acting,
  op: OnceOp,
  args: JsonObject,
  token: string,
  prepare?: Prepare,
): Promise<OnceResult> {
  const { time } = acting;
  for (;;) {
    acting.call.looking?.();
    const { place, origin, group, matched, before } = await lookFor(driver, acting, op, args);
    if (prepare && !(await beforehand(prepare(place, origin)))) {
      if (time.over) throw neverReached();
      await time.sleep(PAUSE);
      continue;
    }
    const { sites } = acting.rules;
    const request = { ...makeRequest(op, withTargets(args, group), 0, origin, token), sites };
    time.check();
    acting.call.acting?.();
    const asked = await driver.scripts.ask(place, request, time).catch((error: unknown) => {
      throw unknownOutcome(error);
    });
    if (asked.gone === 'lost') {
      await checkSentAway(driver, acting, place);
      return { matched, place, origin, before, value: null };
    }
    if (asked.gone === 'undelivered') {
      if (time.over) throw neverReached();
      await time.sleep(PAUSE);
      continue;
    }
    noticeReply(acting, asked.reply);
    if (asked.reply.ok) return { matched, place, origin, before, value: asked.reply.value };
    const { wait, error } = asked.reply;
    if (!wait || time.over) throw asError(error);
  }
}

/** What fails before the act has done nothing, whatever it is. */
export async function beforehand<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!TabloomError.is(error)) throw error;
    const { code, message, ...more } = error.info;
    throw new TabloomError(code, message, { ...more, acted: false });
  }
}

/** All that comes before the act. */
function lookFor(
  driver: Driver,
  acting: Acting,
  op: OnceOp,
  args: JsonObject,
): Promise<PageAnswer & { before: Before }> {
  const { tab, time } = acting;
  const look = async (): Promise<PageAnswer & { before: Before }> => {
    for (;;) {
      const answer = await askPage(driver, acting, 'locate', { ...args, for: op });
      const mark = answer.place.frameId === 0 ? answer.mark : await driver.scripts.documentMark(tab.browserTabId, time);
      const somebody = await driver.dialogs.arm(tab.browserTabId, acting.answer ?? null, answer.origin, time.signal);
      const { status } = await checkedTab(driver, acting);
      if (!somebody) return { ...answer, before: { mark, loading: status === 'loading' } };
      const error = somebodyThere(acting);
      if (time.over) throw error;
      await time.sleep(PERSON_PAUSE);
    }
  };
  return beforehand(look());
}

function neverReached(): TabloomError {
  return new TabloomError('timeout', 'Try again: the page kept changing its address, and nothing was done.', {
    acted: false,
  });
}

/**
 * The document of an act went away during it. Fine where the tab is still there without that document.
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
    'Look at the page: the action got no answer, and it is not known whether it happened.',
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
