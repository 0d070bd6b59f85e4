import type { FrameProbe, PageSnapshot } from '../../actions/protocol.ts';
import { TabloomError } from '../../model/errors.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Acting, Driver } from './acting.ts';
import { askPage, checkFrame, frameNumbered, makeRequest } from './ask.ts';
import { framePrefix, matchFrame } from './frame-targets.ts';

/** A frame gets a line to say how it is read where there is less room than this, characters. */
const LEAST_ROOM = 300;
/** Kept for such lines, characters for each frame. */
const LINE = 80;
/** So many frames of a page are read. */
const MOST_FRAMES = 30;

/** What frames are read with, and what has come of it so far. */
interface Filling {
  id: string;
  args: JsonObject;
  all: { frameId: number; probe: FrameProbe }[];
  /** Characters that may still be written. */
  room: number;
  /** Frames read so far. */
  count: number;
  cursor: string | null;
}

/**
 * The snapshot of a page, with that of each frame which is granted below the frame's line, refs and cursors marked by its number.
 * @throws TabloomError as {@link askPage}
 */
export async function snapshotOf(
  driver: Driver,
  acting: Acting,
  args: JsonObject,
): Promise<{ output: Json; matched: number | undefined }> {
  const [, number, cursor] = /^f(\d+):(.+)$/s.exec(typeof args.cursor === 'string' ? args.cursor : '') ?? [];
  const maxChars = Number(args.maxChars);
  const { tab, time } = acting;
  let page: PageSnapshot;
  let frameId = 0;
  let matched: number | undefined;
  if (number !== undefined) {
    frameId = Number(number);
    const { target: _, ...more } = args;
    const place = await frameNumbered(driver, acting, frameId);
    const frame = { prefix: framePrefix(frameId) };
    page = await askFrame(driver, acting, place, { ...more, cursor: cursor as string, frame });
  } else {
    ({ page, frameId, matched } = await askDocument(driver, acting, args));
    const lines = Math.min(page.frames.length, MOST_FRAMES) * LINE;
    if (lines > 0 && page.text.length + lines > maxChars) {
      const smaller = Math.max(maxChars - lines, Math.floor(maxChars / 2));
      ({ page, frameId, matched } = await askDocument(driver, acting, { ...args, maxChars: smaller }));
    }
  }
  if (page.frames.length === 0) return { output: outputOf(page), matched };
  // Where one of the frames does not answer, the page itself is told all the same.
  const all = await driver.scripts.frames(tab.browserTabId, time).catch((error: unknown) => {
    if (TabloomError.is(error) && error.code === 'timeout') return [];
    throw error;
  });
  const self = all.find((one) => one.frameId === frameId);
  if (!self) return { output: outputOf(page), matched };
  const { target: _, cursor: __, ...rest } = args;
  const room = maxChars - page.text.length;
  const filling: Filling = { id: page.id, args: rest, all, room, count: 0, cursor: page.cursor };
  const text = await withFrames(driver, acting, page, self.probe, filling);
  return { output: outputOf({ ...page, text, cursor: filling.cursor }), matched };
}

/** The snapshot of the document that the target is in. */
async function askDocument(
  driver: Driver,
  acting: Acting,
  args: JsonObject,
): Promise<{ page: PageSnapshot; frameId: number; matched: number | undefined }> {
  let answer = await askPage(driver, acting, 'snapshot', args);
  const { frameId } = answer.place;
  // What was asked for is in a frame: its refs have to say so.
  if (frameId !== 0)
    answer = await askPage(driver, acting, 'snapshot', { ...args, frame: { prefix: framePrefix(frameId) } });
  return { page: answer.value as unknown as PageSnapshot, frameId, matched: answer.matched };
}

function outputOf({ url, title, text, cursor }: PageSnapshot): JsonObject {
  return { url, title, text, cursor };
}

/** The text of a document with what is in its frames. */
async function withFrames(
  driver: Driver,
  acting: Acting,
  page: PageSnapshot,
  parent: FrameProbe,
  filling: Filling,
): Promise<string> {
  const lines = page.text.split('\n');
  const below = new Map<number, string[]>();
  const after: string[] = [];
  for (const frame of page.frames) {
    if (filling.count >= MOST_FRAMES) break;
    filling.count += 1;
    const own = frame.at === null ? frame.line.length + 1 : 0;
    const inside = await inFrame(driver, acting, frame, parent, filling, own);
    if (inside.length === 0) continue;
    filling.room -= inside.join('\n').length + 1 + own;
    if (frame.at !== null) below.set(frame.at, inside);
    else after.push(frame.line, ...inside);
  }
  const whole = lines.flatMap((one, index) => [one, ...(below.get(index) ?? [])]);
  // Where nothing in the document itself was chosen, its frames stand alone.
  const kept = after.length > 0 ? whole.filter((one) => !/^- \(nothing .*\)$/.test(one) && one !== '') : whole;
  return [...kept, ...after].join('\n');
}

/** Lines of what is in a frame; a line that says how to read it where there is no room or no grant. */
async function inFrame(
  driver: Driver,
  acting: Acting,
  frame: PageSnapshot['frames'][number],
  parent: FrameProbe,
  filling: Filling,
  own: number,
): Promise<string[]> {
  const indent = '  '.repeat(frame.depth);
  const room = filling.room - own;
  try {
    const found = matchFrame(filling.all, parent, frame);
    await checkFrame(driver, acting, found.probe);
    const prefix = framePrefix(found.frameId);
    if (room < LEAST_ROOM) {
      filling.cursor ??= `${prefix}:top+0`;
      const more = `${indent}- … the frame's content [cursor=${prefix}:top+0]`;
      return frame.at !== null && more.length < room ? [more] : [];
    }
    const page = await askFrame(driver, acting, found, {
      ...filling.args,
      maxChars: room,
      frame: { prefix, id: filling.id, depth: frame.depth },
    });
    filling.cursor ??= page.cursor;
    if (page.text === '' && page.frames.length === 0) return [];
    const before = filling.room;
    filling.room = room - page.text.length;
    const text = await withFrames(driver, acting, page, found.probe, filling);
    filling.room = before;
    return text === '' ? [] : text.split('\n');
  } catch (error) {
    if (!TabloomError.is(error) || error.code === 'cancelled' || frame.at === null) {
      if (frame.at === null && TabloomError.is(error) && error.code !== 'cancelled') return [];
      throw error;
    }
    const why = /^(permission_denied|site_not_allowed)$/.test(error.code) ? 'not allowed' : 'not there yet';
    const note = `${indent}- (not read: ${why})`;
    return note.length < filling.room ? [note] : [];
  }
}

/** Asks one frame, once. @throws TabloomError where it does not answer */
async function askFrame(
  driver: Driver,
  acting: Acting,
  { frameId, probe }: { frameId: number; probe: FrameProbe },
  args: JsonObject,
): Promise<PageSnapshot> {
  const { tab, time } = acting;
  const request = makeRequest('snapshot', args, 0, probe.origin);
  const asked = await driver.scripts.ask({ tabId: tab.browserTabId, frameId }, request, time);
  if (asked.gone) throw new TabloomError('element_not_found', 'Wait for the frame: its page is changing.');
  if (!asked.reply.ok) throw new TabloomError(asked.reply.error.code, asked.reply.error.message);
  return asked.reply.value as unknown as PageSnapshot;
}
