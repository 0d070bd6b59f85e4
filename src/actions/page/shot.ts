import type { Rect, ShotArea, ShotView } from '../shot.ts';
import { elementsIn, flatParent, rootsIn } from './dom.ts';
import { env } from './env.ts';
import { frameMark } from './frames.ts';
import { isSealed } from './sealed.ts';
import { isVisible } from './visibility.ts';

/** How long nobody asks for the next part of a picture before the page is put back: whoever asked has died. Milliseconds. */
const GIVE_UP = 10_000;

const FIELDS = 'input, textarea, select, [contenteditable]';

/** A declaration of an element's own style as it was. */
interface Kept {
  element: HTMLElement | SVGElement;
  property: string;
  value: string;
  priority: string;
}

/** How the page was before a picture of it; `undefined` while none is taken. */
let before:
  | {
      x: number;
      y: number;
      /** Boxes around the element, and where they are scrolled to. */
      boxes: { element: Element; left: number; top: number }[];
      styles: Kept[];
      /** While the page is changed and put back, the browser must not scroll to make up for it. */
      anchored?: Kept;
      hidden: boolean;
      timer: ReturnType<typeof setTimeout>;
    }
  | undefined;

/** Begins a picture: remembers where the page is scrolled to. @returns what is to be in it */
export function beginShot(element: Element | undefined, fullPage: boolean): ShotArea {
  endShot();
  const boxes: { element: Element; left: number; top: number }[] = [];
  for (let node = element && flatParent(element); node; node = flatParent(node))
    boxes.push({ element: node, left: node.scrollLeft, top: node.scrollTop });
  before = { x: scrollX, y: scrollY, boxes, styles: [], hidden: false, timer: setTimeout(endShot, GIVE_UP) };
  const page = pageSize();
  const view = viewSize();
  const scale = devicePixelRatio;
  const drawn = document.visibilityState === 'visible';
  if (element) return { area: areaOf(element, view), view, page, scale, drawn };
  const area = fullPage ? { x: 0, y: 0, ...page } : { x: scrollX, y: scrollY, ...view };
  return { area, view, page, scale, drawn };
}

/** Without the scroll bars, which are no part of the page. */
function viewSize(): { width: number; height: number } {
  const root = document.scrollingElement ?? document.documentElement;
  return { width: root.clientWidth || innerWidth, height: root.clientHeight || innerHeight };
}

function pageSize(): { width: number; height: number } {
  const root = document.scrollingElement ?? document.documentElement;
  return { width: root.scrollWidth, height: root.scrollHeight };
}

/** Where an element lies in the page, brought into view; of one in a box that scrolls, what that box shows. */
function areaOf(element: Element, view: { width: number; height: number }): Rect {
  const fits = element.getBoundingClientRect();
  const block = fits.height <= view.height ? 'center' : 'start';
  element.scrollIntoView({ block, inline: 'nearest', behavior: 'instant' });
  const box = element.getBoundingClientRect();
  let { left, top, right, bottom } = box;
  for (let node = flatParent(element); node && node !== document.documentElement; node = flatParent(node)) {
    if (node === document.body || !/auto|scroll|hidden|clip/.test(getComputedStyle(node).overflow)) continue;
    const around = node.getBoundingClientRect();
    left = Math.max(left, around.left);
    top = Math.max(top, around.top);
    right = Math.min(right, around.right);
    bottom = Math.min(bottom, around.bottom);
  }
  return { x: left + scrollX, y: top + scrollY, width: Math.max(0, right - left), height: Math.max(0, bottom - top) };
}

/**
 * Scrolls to a part of the picture and waits until it is drawn.
 * @param rest it is not the first part: what stays in its place of the window is in the picture already, and left out from now on
 */
export async function showPart(x: number, y: number, rest: boolean, many: boolean): Promise<ShotView> {
  stayAwake();
  if (many) unstick();
  if (rest) hideFixed();
  if (Math.abs(scrollX - x) >= 1 || Math.abs(scrollY - y) >= 1) scrollTo({ left: x, top: y, behavior: 'instant' });
  await env().frame();
  await env().frame();
  return currentView();
}

/** What the window shows now. */
export function currentView(): ShotView {
  stayAwake();
  const sealed = [...sealedFields()].map((element) => boxOf(element));
  const holders = rootsIn(document).flatMap((root) => [...root.querySelectorAll('iframe, frame, object')]);
  const frames = holders.map((element) => ({
    index: frameMark(element),
    box: boxOf(element),
  }));
  return { scrollX, scrollY, width: innerWidth, height: innerHeight, sealed, frames };
}

/** Whether this document shows a field of which nothing may be seen, with something in it. */
export function hasSealed(): boolean {
  for (const field of sealedFields()) {
    const held = (field as Partial<HTMLInputElement>).value ?? field.textContent ?? '';
    if (held !== '' && isVisible(field)) return true;
  }
  return false;
}

function* sealedFields(): Generator<Element> {
  for (const root of rootsIn(document)) {
    for (const element of root.querySelectorAll(FIELDS)) if (isSealed(element)) yield element;
  }
}

function boxOf(element: Element): Rect {
  const { x, y, width, height } = element.getBoundingClientRect();
  return { x, y, width, height };
}

/** Where a frame's page is shown in the window of this one. */
export function holderBox(element: Element): Rect {
  const shown = element.getBoundingClientRect();
  const out = shown.bottom <= 0 || shown.right <= 0 || shown.top >= innerHeight || shown.left >= innerWidth;
  if (out) element.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  const { x, y } = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  const left = x + element.clientLeft + Number.parseFloat(style.paddingLeft);
  const top = y + element.clientTop + Number.parseFloat(style.paddingTop);
  return { x: left, y: top, width: element.clientWidth, height: element.clientHeight };
}

/** Puts the page back to how it was. */
export function endShot(): void {
  if (!before) return;
  const { x, y, boxes, styles, anchored, timer } = before;
  before = undefined;
  clearTimeout(timer);
  for (const style of styles.reverse()) putBack(style);
  for (const { element, left, top } of boxes) element.scrollTo({ left, top, behavior: 'instant' });
  scrollTo({ left: x, top: y, behavior: 'instant' });
  if (anchored) putBack(anchored);
}

function putBack({ element, property, value, priority }: Kept): void {
  if (value === '') element.style.removeProperty(property);
  else element.style.setProperty(property, value, priority);
  if (element.getAttribute('style') === '') element.removeAttribute('style');
}

function stayAwake(): void {
  if (!before) return;
  clearTimeout(before.timer);
  before.timer = setTimeout(endShot, GIVE_UP);
}

/** What sticks to an edge of the window is shown where it belongs in the page. */
function unstick(): void {
  if (!before || before.styles.length > 0) return;
  for (const element of styled('sticky')) {
    set(element, 'position', 'relative');
    for (const edge of ['top', 'right', 'bottom', 'left']) set(element, edge, 'auto');
  }
}

function hideFixed(): void {
  if (!before || before.hidden) return;
  before.hidden = true;
  for (const element of styled('fixed')) set(element, 'visibility', 'hidden');
}

function styled(position: string): (HTMLElement | SVGElement)[] {
  return [...elementsIn(document)].filter(
    (element): element is HTMLElement | SVGElement =>
      (element instanceof HTMLElement || element instanceof SVGElement) &&
      getComputedStyle(element).position === position,
  );
}

function set(element: HTMLElement | SVGElement, property: string, value: string): void {
  if (!before) return;
  before.anchored ??= change(document.documentElement, 'overflow-anchor', 'none');
  before.styles.push(change(element, property, value));
}

/** @returns what the element's own style had instead */
function change(element: HTMLElement | SVGElement, property: string, value: string): Kept {
  const { style } = element;
  const kept = {
    element,
    property,
    value: style.getPropertyValue(property),
    priority: style.getPropertyPriority(property),
  };
  style.setProperty(property, value, 'important');
  return kept;
}
