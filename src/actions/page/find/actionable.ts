import type { Json } from '../../../model/json.ts';
import { childrenOf, controlOf, elementAt, flatParent, isInside, matches } from '../dom.ts';
import { env, PageError } from '../env.ts';
import { isDisabled, isVisible } from '../visibility.ts';
import { describe } from './resolve.ts';

export interface Point {
  x: number;
  y: number;
  /** The innermost element there: where a person's pointer would land. */
  hit: Element;
}

function not(message: string, details: Json): PageError {
  return new PageError('element_not_actionable', message, { wait: true, details });
}

/** @throws PageError `element_not_actionable` when it is detached, hidden or disabled. */
export function checkState(element: Element): void {
  if (!element.isConnected) throw not(`Try again: ${describe(element)} left the page.`, { reason: 'detached' });
  if (!isVisible(element)) throw not(`Make ${describe(element)} visible first.`, { reason: 'hidden' });
  if (isDisabled(element)) throw not(`Enable ${describe(element)} first: it is disabled.`, { reason: 'disabled' });
}

/**
 * @throws PageError `element_not_actionable` while it moves or grows over two frames. What is animated stands still for as long as a busy
 * machine draws none, which says nothing; in a hidden tab, none ever come.
 */
export async function checkStable(element: Element): Promise<void> {
  let before = element.getBoundingClientRect();
  for (let frame = 0; frame < 2; frame++) {
    const drawn = await env().frame();
    const now = element.getBoundingClientRect();
    const same = before.x === now.x && before.y === now.y && before.width === now.width && before.height === now.height;
    const unknown = !drawn && document.visibilityState !== 'hidden' && isAnimated(element);
    if (!same || unknown) throw not(`Wait until ${describe(element)} stands still.`, { reason: 'moving' });
    before = now;
  }
}

/** Whether an animation or transition runs on the element, or on what it sits in. */
function isAnimated(element: Element): boolean {
  for (let node: Element | null = element; node; node = flatParent(node))
    if (node.getAnimations().some(({ playState }) => playState === 'running')) return true;
  return false;
}

/** @throws PageError `element_not_actionable` when it is read-only. */
export function checkEditable(element: Element): void {
  const readOnly =
    (element as Partial<HTMLInputElement>).readOnly === true || element.getAttribute('aria-readonly') === 'true';
  if (readOnly) throw not(`Make ${describe(element)} editable first: it is read-only.`, { reason: 'read-only' });
}

/**
 * Where to click an element, scrolled into view.
 * @param takes whether what lies at its middle does not stand in its way
 * @throws PageError `element_not_actionable` naming what covers it.
 */
export function pointOf(element: Element, takes: (element: Element, point: Point) => boolean = receives): Point {
  // What is seen of an editor that is told of input is drawn beside the element for it, which may be as small as nothing.
  const { editContext } = element as { editContext?: unknown };
  if (editContext && element.parentElement && !tryPoint(element)) return pointOf(element.parentElement, takes);
  const direct = tryPoint(element);
  if (direct && takes(element, direct)) return direct;
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  const point = tryPoint(element);
  if (!point)
    throw not(`Make room for ${describe(element)}: it cannot be scrolled into view.`, { reason: 'outside the window' });
  if (takes(element, point)) return point;
  const by = describe(cover(element, point.hit));
  throw not(`Move what covers ${describe(element)} away first: ${by} is in front of it.`, { reason: 'covered', by });
}

/** The middle of the part of an element's first box that the window shows. */
function tryPoint(element: Element): Point | undefined {
  const boxes = [...element.getClientRects()].filter((box) => box.width > 0 && box.height > 0);
  for (const box of boxes.length > 0
    ? boxes
    : childrenOf(element)
        .slice(0, 5)
        .map((child) => child.getBoundingClientRect())) {
    const left = Math.max(box.left, 0);
    const right = Math.min(box.right, innerWidth);
    const top = Math.max(box.top, 0);
    const bottom = Math.min(box.bottom, innerHeight);
    if (right <= left || bottom <= top) continue;
    const x = (left + right) / 2;
    const y = (top + bottom) / 2;
    const hit = elementAt(x, y);
    if (hit) return { x, y, hit };
  }
  return undefined;
}

const HOLDERS =
  'a[href], button, label, summary, [role="button"], [role="link"], [role="menuitem"], [role="option"], [role="tab"]';

/** Whether what lies at the point is the element's, or acts for it: its label, or the button that an icon without pointer events sits in. */
function receives(element: Element, { hit }: Point): boolean {
  if (isInside(hit, element)) return true;
  if (controlOf(hit) === element) return true;
  return matches(hit, HOLDERS) && isInside(element, hit);
}

/**
 * Whether what is let go at the point is let go over the element. What the pointer does not meet at all, the outline of a shape or what lets it
 * through, is a place, not a receiver: a page tells by the position what was dropped there. In its way is then neither what holds it nor
 * what else is drawn in the same picture.
 */
export function takesDrop(element: Element, point: Point): boolean {
  if (receives(element, point)) return true;
  const root = element.getRootNode() as Document | ShadowRoot;
  if (root.elementsFromPoint(point.x, point.y).some((one) => isInside(one, element))) return false;
  return isInside(element, point.hit) || (element instanceof SVGElement && drawing(element) === drawing(point.hit));
}

/** The outermost SVG picture around an element, itself counted. */
function drawing(element: Element): Element | undefined {
  let outer: Element | undefined;
  for (let node: Element | null = element; node; node = flatParent(node)) if (node.localName === 'svg') outer = node;
  return outer;
}

/** The outermost element at the point that does not also hold the target: the overlay, not a word in it. */
function cover(element: Element, hit: Element): Element {
  let outer = hit;
  for (let node: Element | null = hit; node && !isInside(element, node); node = flatParent(node)) outer = node;
  return outer;
}
