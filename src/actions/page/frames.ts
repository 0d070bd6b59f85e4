import type { FrameProbe, FrameSpot } from '../protocol.ts';
import { env, PageError } from './env.ts';
import { describe } from './find/resolve.ts';

/**
 * What tells a window's frames apart: the browser's own number of a frame where it gives that away, else its place among them, or null inside
 * a shadow tree, where frames are not listed.
 */
function markOf(holder: Window, frame: Window | null, by: Window | Element | null = frame): number | null {
  const number = by && env().frameNumber(by);
  if (number !== undefined && number !== null) return number;
  for (let i = 0; i < holder.length; i++) if (holder[i] === frame) return i;
  return null;
}

/** The mark of the frame that an element of this page holds. */
export function frameMark(element: Element): number | null {
  return markOf(window, (element as HTMLIFrameElement).contentWindow, element);
}

/**
 * Where this frame sits, by its place among its parent's frames. Windows of other origins may be compared and counted, so this needs no
 * message that a page could see or forge.
 */
export function probeFrame(): FrameProbe {
  const path: (number | null)[] = [];
  for (let frame: Window = window; frame.parent !== frame; frame = frame.parent)
    path.unshift(markOf(frame.parent, frame));
  return { origin: self.origin, url: location.href, path };
}

/** @throws PageError `element_not_actionable` for an element that holds no frame. */
export function frameSpot(element: Element): FrameSpot {
  if (
    !(
      element instanceof HTMLIFrameElement ||
      element instanceof HTMLFrameElement ||
      element instanceof HTMLObjectElement
    )
  ) {
    throw new PageError('element_not_actionable', `Name a frame: ${describe(element)} is none.`, {
      details: { reason: 'no frame' },
    });
  }
  const src = element instanceof HTMLObjectElement ? element.data : element.src;
  const number = env().frameNumber(element);
  return { index: frameMark(element), src, ...(number === undefined ? {} : { frameId: number }) };
}
