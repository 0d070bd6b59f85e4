import type { FrameProbe, FrameSpot, PageOp, PageReply, PageRequest } from '../../actions/protocol.ts';
import { type ErrorInfo, TabloomError } from '../../model/errors.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Acting, Driver } from './acting.ts';
import type { BrowserTab } from './browser-api.ts';
import { frameAddress, groupByFrame, matchFrame, type TargetGroup } from './frame-targets.ts';
import { checkedTab } from './navigation.ts';
import type { Place } from './page-scripts.ts';
import { somebodyThere } from './person.ts';

/** How long one request may look and wait inside the page, milliseconds; then it is asked again, after all checks. */
const SLICE = 1000;
const PAUSE = 100;
/** What looks and acts in one go: dialogs that it opens are answered from before. */
const WRITES: ReadonlySet<PageOp> = new Set(['fill', 'select_option', 'check', 'hover', 'scroll']);

/** An answer of the page, and where it came from. */
export interface PageAnswer {
  value: Json;
  /** Which alternative of the target matched. */
  matched: number | undefined;
  place: Place & { documentKey: string };
  /** Mark of that document. */
  mark: string;
  origin: string;
  /** The target as that frame knows it. */
  group: TargetGroup;
}

let requests = 0;

/**
 * Asks the page of the action's tab until it can answer: looks for the target, waits, and does the act, over navigations, with the gate
 * asked again each time. For acts that must not be done twice use it to look only.
 * @throws TabloomError the last reason when time is up; what is final at once.
 */
export async function askPage(
  driver: Driver,
  acting: Acting,
  op: PageOp,
  args: JsonObject,
  token?: string,
): Promise<PageAnswer> {
  const { time } = acting;
  const groups = groupByFrame(args.target);
  let failure: TabloomError | undefined;
  for (;;) {
    for (const group of groups) {
      time.check();
      // With several frames to look in, none of them may wait for long.
      const waitMs = groups.length > 1 ? 0 : Math.min(SLICE, time.left);
      const outcome = await askOnce(driver, acting, op, args, group, waitMs, token);
      if ('place' in outcome) return outcome;
      failure = outcome.failure;
    }
    if (time.over) throw failure ?? new TabloomError('timeout', 'Try again: the page did not answer in time.');
    if (groups.length > 1 || failure?.code === 'element_not_found' || failure?.code === 'permission_denied')
      await time.sleep(PAUSE);
  }
}

async function askOnce(
  driver: Driver,
  acting: Acting,
  op: PageOp,
  args: JsonObject,
  group: TargetGroup,
  waitMs: number,
  token: string | undefined,
): Promise<PageAnswer | { failure: TabloomError }> {
  const { time } = acting;
  // What changes the page is checked right before it, whatever was checked before. The page itself looks at its origin too.
  const known = checkedJustNow(driver, acting);
  const found = known && !WRITES.has(op) ? known : await checkedTab(driver, acting);
  const origin = new URL(found.url as string).origin;
  let where: { place: Place; origin: string };
  try {
    where = await enterFrames(driver, acting, group, origin, waitMs);
  } catch (error) {
    if (TabloomError.is(error) && error.code === 'element_not_found') return { failure: error };
    throw error;
  }
  if (acting.origin !== undefined && acting.origin !== where.origin) {
    throw new TabloomError(
      'tab_lost',
      `Look at the page: it is of ${where.origin} now, and it was filled in at ${acting.origin}.`,
      { details: { tab: acting.tab.tab, origin: where.origin, reason: 'elsewhere' } },
    );
  }
  if (WRITES.has(op)) {
    const { browserTabId } = acting.tab;
    const somebody = await driver.dialogs.arm(browserTabId, acting.answer ?? null, where.origin, time.signal);
    if (somebody) {
      await time.sleep(PAUSE);
      return { failure: somebodyThere(acting) };
    }
  }
  const { sites } = acting.rules;
  const request = { ...makeRequest(op, withTargets(args, group), waitMs, where.origin, token), sites };
  const asked = await driver.scripts.ask(where.place, request, time);
  if (asked.gone) {
    await time.sleep(20);
    return { failure: new TabloomError('timeout', 'Try again: the page kept changing its address.') };
  }
  const { reply, key, mark } = asked;
  if (where.place.frameId === 0) acting.mark = mark;
  noticeReply(acting, reply);
  if (!reply.ok) {
    if (reply.wait) return { failure: asError(reply.error) };
    throw asError(reply.error);
  }
  const matched = reply.matched === undefined ? undefined : group.first + reply.matched;
  const place = { ...where.place, documentKey: key };
  return { value: reply.value, matched, place, mark, origin: where.origin, group };
}

/** What was checked so short a time ago holds for one request, milliseconds. */
const JUST_NOW = 50;

function checkedJustNow({ clock }: Driver, acting: Acting): BrowserTab | undefined {
  const { checked } = acting;
  delete acting.checked;
  return checked && clock.now() - checked.at < JUST_NOW ? checked.found : undefined;
}

/** From the page into the frames that a target names; each frame's own address is checked. */
async function enterFrames(
  driver: Driver,
  acting: Acting,
  group: TargetGroup,
  origin: string,
  waitMs: number,
): Promise<{ place: Place; origin: string }> {
  const { tab, time } = acting;
  const place: Place = { tabId: tab.browserTabId, frameId: 0 };
  let here = { frameId: 0, probe: { origin, url: '', path: [] as (number | null)[] } };
  if (group.frameId !== undefined) {
    here = await frameNumbered(driver, acting, group.frameId);
  }
  for (const frame of group.frames) {
    const request = makeRequest('frame', { target: frame as never }, waitMs, here.probe.origin);
    const asked = await driver.scripts.ask({ ...place, frameId: here.frameId }, request, time);
    const reply: PageReply | undefined = asked.gone ? undefined : asked.reply;
    if (!reply) throw new TabloomError('element_not_found', 'Wait for the frame: the page around it is changing.');
    if (!reply.ok) throw asError(reply.error);
    const all = await driver.scripts.frames(tab.browserTabId, time);
    here = await matchGranted(driver, all, here.probe, reply.value as unknown as FrameSpot);
    await checkFrame(driver, acting, here.probe);
  }
  return { place: { ...place, frameId: here.frameId }, origin: here.probe.origin };
}

/** @throws TabloomError as the gate, where the document in a frame may not be touched. */
export async function checkFrame(driver: Driver, { rules }: Acting, probe: FrameProbe): Promise<void> {
  const origin = await driver.gate.check(frameAddress(probe), { sites: rules.sites });
  // An approval names the page that people see in the address bar. What is in a frame of it may be of anybody.
  if (rules.approvedOrigin === undefined || origin === rules.approvedOrigin) return;
  throw new TabloomError(
    'site_not_allowed',
    `Open the frame's page in a tab of its own for this step: ${rules.approvedOrigin} was approved, and the frame is of ${origin}.`,
    { details: { approved: rules.approvedOrigin, origin } },
  );
}

/** The frame that a ref or a cursor of a snapshot names. @throws TabloomError `ref_stale` when it is gone; as {@link checkFrame} */
export async function frameNumbered(
  driver: Driver,
  acting: Acting,
  frameId: number,
): Promise<{ frameId: number; probe: FrameProbe }> {
  const all = await driver.scripts.frames(acting.tab.browserTabId, acting.time);
  const found = all.find((one) => one.frameId === frameId);
  if (!found) {
    throw new TabloomError(
      'ref_stale',
      'Take a new snapshot: the frame is no longer on the page, or closed to Tabloom.',
      {
        details: { frame: frameId },
      },
    );
  }
  await checkFrame(driver, acting, found.probe);
  return found;
}

/** A frame that is granted and yet not to be seen has not come so far as to be scripted: that is waited for. */
async function matchGranted(
  driver: Driver,
  all: { frameId: number; probe: FrameProbe }[],
  parent: FrameProbe,
  spot: FrameSpot,
): Promise<{ frameId: number; probe: FrameProbe }> {
  try {
    return matchFrame(all, parent, spot);
  } catch (error) {
    const denied = TabloomError.is(error) && error.code === 'permission_denied' && URL.canParse(spot.src);
    if (!denied || !(await driver.gate.granted(new URL(spot.src).origin))) throw error;
    throw new TabloomError('element_not_found', 'Wait for the frame: its page is still loading.');
  }
}

/** A request with the target as its frame knows it. */
export function withTargets(args: JsonObject, group: TargetGroup): JsonObject {
  return group.targets.length === 0 ? args : { ...args, target: group.targets as never };
}

export function makeRequest(op: PageOp, args: JsonObject, waitMs: number, origin: string, token?: string): PageRequest {
  requests += 1;
  return token === undefined
    ? { id: `r${requests}`, op, args, waitMs, origin }
    : { id: `r${requests}`, op, args, waitMs, origin, token };
}

/** Keeps in mind that a page has made way for a person. */
export function noticeReply({ noticed }: Acting, reply: PageReply): void {
  const { details } = reply.ok ? { details: undefined } : reply.error;
  const reason = isObject(details) ? details.reason : undefined;
  if (noticed && (reply.ok ? reply.yielded : reason === 'person')) noticed.yielded = true;
}

export function asError(info: ErrorInfo): TabloomError {
  const { code, message, ...more } = info;
  return new TabloomError(code, message, more);
}
