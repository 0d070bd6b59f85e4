import type { FrameProbe, FrameSpot } from '../protocol.ts';
import { PageError } from './env.ts';
import { describe } from './find/resolve.ts';

/** Which of a window's frames one is, or null for one inside a shadow tree: those are not listed. */
function indexOf(holder: Window, frame: Window | null): number | null {
  for (let i = 0; i < holder.length; i++) if (holder[i] === frame) return i;
  return null;
}

/**
 * Where this frame sits, by its place among its parent's frames. Windows of other origins may be compared and counted, so this needs no
 * message that a page could see or forge.
 */
export function probeFrame(): FrameProbe {
  const path: (number | null)[] = [];
  for (let frame: Window = window; frame.parent !== frame; frame = frame.parent)
    path.unshift(indexOf(frame.parent, frame));
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
  return { index: indexOf(window, element.contentWindow), src };
}
