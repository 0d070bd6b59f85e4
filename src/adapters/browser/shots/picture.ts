import { planShot, type Rect, type ShotArea, type ShotView, type Tile } from '../../../actions/shot.ts';
import { TabloomError } from '../../../model/errors.ts';
import type { Json, JsonObject } from '../../../model/json.ts';
import type { Acting, Driver } from '../acting.ts';
import { asError, askPage, makeRequest, type PageAnswer } from '../ask.ts';
import { groupByFrame } from '../frame-targets.ts';
import type { Place } from '../page-scripts.ts';
import { capture, shown } from './capture.ts';
import { inWindow } from './in-frame.ts';

/** How often a part is taken again because something that may not be seen moved meanwhile; then it is covered at both places. */
const TRIES = 3;
/** What stands in place of a field that may not be seen, and how far it reaches beyond it, CSS pixels. */
const COVER = '#5b5b5b';
const MARGIN = 2;

/** A picture of a page. Sizes in device pixels; `cut` is what was left out at its end, CSS pixels. */
export interface Picture {
  bytes: Uint8Array;
  width: number;
  height: number;
  cut: number;
  matched: number | undefined;
}

/**
 * Takes a picture of what the window shows, of an element or of the whole page. What may not be seen is painted over in the picture, so that
 * the page is not changed for it; the page is put back to where it was scrolled.
 * @throws TabloomError as looking for the target, `tab_not_visible`, `permission_denied`, `navigation_failed` where the page left meanwhile
 */
export async function takePicture(driver: Driver, acting: Acting, { target, fullPage }: JsonObject): Promise<Picture> {
  await shown(driver, acting);
  const args: JsonObject =
    target === undefined ? { step: 'begin', fullPage: fullPage === true } : { step: 'begin', target };
  const asked: PageAnswer[] = [];
  const begin = async (how: JsonObject): Promise<PageAnswer> => {
    const answer = await askPage(driver, acting, 'shot', how);
    asked.push(answer);
    return answer;
  };
  try {
    // The page around a frame has a place of its own to be put back to.
    const around = groupByFrame(target).some(({ frames }) => frames.length > 0)
      ? await begin({ step: 'begin' })
      : undefined;
    const begun = await begin(args);
    const inFrame = around !== undefined && begun.place.frameId !== 0;
    const top = inFrame ? around : begun;
    const part = (step: string, more: JsonObject = {}): Promise<Json> => ask(driver, acting, top, step, more);
    const whole = top.value as unknown as ShotArea;
    if (!whole.drawn) await acting.time.sleep(50);
    const from = (await part('look')) as unknown as ShotView;
    const shot = inFrame ? { ...whole, area: await inWindow(driver, acting, begun, from) } : whole;
    const plan = planShot(shot, from);
    if (plan.area.width < 1 || plan.area.height < 1)
      throw new TabloomError('element_not_actionable', 'Scroll to the element first: nothing of it is in view.', {
        details: { reason: 'outside the window' },
      });
    const covered = await framesToCover(driver, acting);
    const canvas = new Canvas(plan.area);
    for (const [index, tile] of plan.tiles.entries()) {
      const show = { x: tile.scrollX, y: tile.scrollY, rest: index > 0, many: plan.tiles.length > 1 };
      await takePart(driver, acting, part, show, covered, canvas, tile);
    }
    return { ...(await canvas.png()), cut: plan.cut, matched: begun.matched };
  } finally {
    for (const one of asked.reverse()) await ask(driver, acting, one, 'end', {}).catch(() => undefined);
  }
}

async function takePart(
  driver: Driver,
  acting: Acting,
  part: (step: string, more?: JsonObject) => Promise<Json>,
  show: JsonObject,
  covered: ReadonlySet<number | null>,
  canvas: Canvas,
  tile: Tile,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const before = (await part('show', show)) as unknown as ShotView;
    const picture = await capture(driver, acting);
    const after = (await part('look')) as unknown as ShotView;
    const boxes = [before, after].map(({ sealed, frames }) => {
      // One that is not among them cannot be told from the others.
      const all = [...covered].some((mark) => !frames.some(({ index }) => index === mark));
      return [...sealed, ...frames.filter(({ index }) => all || covered.has(index)).map(({ box }) => box)];
    });
    const still =
      before.scrollX === after.scrollX &&
      before.scrollY === after.scrollY &&
      JSON.stringify(boxes[0]) === JSON.stringify(boxes[1]);
    if (!still && tries < TRIES && !acting.time.over) continue;
    canvas.draw(picture, before, tile.part, boxes.flat());
    return;
  }
}

/** Frames of the page that show a password field or one with a secret, or that do not say; by their place in the page. */
async function framesToCover(driver: Driver, acting: Acting): Promise<Set<number | null>> {
  const { tab, time } = acting;
  const covered = new Set<number | null>();
  for (const { frameId, probe } of await driver.scripts.frames(tab.browserTabId, time)) {
    if (probe.path.length === 0) continue;
    const place: Place = { tabId: tab.browserTabId, frameId };
    const request = makeRequest('shot', { step: 'sealed' }, 0, probe.origin);
    const asked = await driver.scripts.ask(place, request, time).catch(() => undefined);
    const clean = asked && !asked.gone && asked.reply.ok && asked.reply.value === false;
    if (!clean) covered.add(probe.path[0] ?? null);
  }
  return covered;
}

async function ask(
  driver: Driver,
  acting: Acting,
  { place, origin }: { place: Place; origin: string },
  step: string,
  more: JsonObject,
): Promise<Json> {
  const asked = await driver.scripts.ask(place, makeRequest('shot', { ...more, step }, 0, origin), acting.time);
  if (asked.gone)
    throw new TabloomError('navigation_failed', 'Try again: the page changed while its picture was taken.');
  if (!asked.reply.ok) throw asError(asked.reply.error);
  return asked.reply.value;
}

/** The picture as it is put together. */
class Canvas {
  readonly #area: Rect;
  #canvas: OffscreenCanvas | undefined;
  #scale = 1;

  constructor(area: Rect) {
    this.#area = area;
  }

  /** @param part in the coordinates of the page; @param covered in those of the window */
  draw(picture: ImageBitmap, view: ShotView, part: Rect, covered: readonly Rect[]): void {
    const area = this.#area;
    if (!this.#canvas) {
      this.#scale = picture.width / view.width;
      const side = (length: number): number => Math.max(1, Math.round(length * this.#scale));
      this.#canvas = new OffscreenCanvas(side(area.width), side(area.height));
    }
    const scale = this.#scale;
    const own = picture.width / view.width;
    const context = this.#canvas.getContext('2d');
    if (!context) throw new TabloomError('internal', 'The browser has no memory for the picture; take a smaller one.');
    const x = (part.x - area.x) * scale;
    const y = (part.y - area.y) * scale;
    const { width, height } = { width: part.width * scale, height: part.height * scale };
    context.drawImage(
      picture,
      (part.x - view.scrollX) * own,
      (part.y - view.scrollY) * own,
      part.width * own,
      part.height * own,
      x,
      y,
      width,
      height,
    );
    context.fillStyle = COVER;
    for (const box of covered) {
      if (box.width <= 0 || box.height <= 0) continue;
      context.fillRect(
        (box.x - MARGIN + view.scrollX - area.x) * scale,
        (box.y - MARGIN + view.scrollY - area.y) * scale,
        (box.width + 2 * MARGIN) * scale,
        (box.height + 2 * MARGIN) * scale,
      );
    }
    picture.close();
  }

  async png(): Promise<{ bytes: Uint8Array; width: number; height: number }> {
    const canvas = this.#canvas as OffscreenCanvas;
    const blob = await canvas.convertToBlob({ type: 'image/png' });
    return { bytes: new Uint8Array(await blob.arrayBuffer()), width: canvas.width, height: canvas.height };
  }
}
