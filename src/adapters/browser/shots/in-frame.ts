import type { TargetDefinition } from '../../../actions/describe.ts';
import type { Rect, ShotArea, ShotView } from '../../../actions/shot.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { Acting, Driver } from '../acting.ts';
import { asError, askPage, makeRequest, type PageAnswer } from '../ask.ts';

/**
 * Where an element of a frame lies in the page around it: as much of it as the frames show.
 * @param top what the window shows of that page
 */
export async function inWindow(driver: Driver, acting: Acting, found: PageAnswer, top: ShotView): Promise<Rect> {
  const { area } = found.value as unknown as ShotArea;
  const asked = await driver.scripts.ask(
    found.place,
    makeRequest('shot', { step: 'look' }, 0, found.origin),
    acting.time,
  );
  if (!asked.gone && !asked.reply.ok) throw asError(asked.reply.error);
  const { scrollX, scrollY, width, height } = (
    asked.gone ? top : (asked.reply as { value: unknown }).value
  ) as ShotView;
  let box = clip({ ...area, x: area.x - scrollX, y: area.y - scrollY }, { x: 0, y: 0, width, height });
  const { frames } = found.group;
  for (let depth = frames.length - 1; depth >= 0; depth--) {
    const target = frames.slice(0, depth + 1).reduce((frame: TargetDefinition | undefined, one) => {
      return frame ? { ...one, frame } : one;
    }, undefined) as unknown as JsonObject;
    const holder = (await askPage(driver, acting, 'shot', { step: 'holder', target })).value as unknown as Rect;
    box = clip({ ...box, x: box.x + holder.x, y: box.y + holder.y }, holder);
  }
  box = clip(box, { x: 0, y: 0, width: top.width, height: top.height });
  return { ...box, x: box.x + top.scrollX, y: box.y + top.scrollY };
}

function clip(box: Rect, around: Rect): Rect {
  const x = Math.max(box.x, around.x);
  const y = Math.max(box.y, around.y);
  return {
    x,
    y,
    width: Math.max(0, Math.min(box.x + box.width, around.x + around.width) - x),
    height: Math.max(0, Math.min(box.y + box.height, around.y + around.height) - y),
  };
}
