import { elementAt, flatParent } from '../dom.ts';
import { env } from '../env.ts';
import type { Point } from '../find/actionable.ts';
import { placeCaret } from './caret.ts';
import { focusAround } from './focus.ts';
import { showHovered } from './hover-styles.ts';

export interface Pointing {
  button: 'left' | 'middle' | 'right';
  count: number;
  modifiers: string[];
}

const NONE_HELD: Held = { buttons: 0, quietly: false };
const BUTTONS = { left: [0, 1], middle: [1, 4], right: [2, 2] } as const;

let hovered: WeakRef<Element> | undefined;
let pressed: WeakRef<Element> | undefined;

/** Where the pointer was pressed last: Tab goes on from there while nothing has the focus. */
export function pressedLast(): Element | undefined {
  return pressed?.deref();
}

/** Fields that all events of a gesture at a point share. */
export function common(point: Point, modifiers: string[]): MouseEventInit {
  const { x, y } = point;
  return {
    bubbles: true,
    cancelable: true,
    composed: true,
    view: window,
    clientX: x,
    clientY: y,
    screenX: x + screenX,
    screenY: y + screenY,
    altKey: modifiers.includes('Alt'),
    ctrlKey: modifiers.includes('Control'),
    metaKey: modifiers.includes('Meta'),
    shiftKey: modifiers.includes('Shift'),
  };
}

/** The pointer that is the mouse, as this browser has it, so that `setPointerCapture` in a page's handler finds it. */
export function mousePointer(): PointerEventInit {
  return { pointerId: env().browser.mouseId, pointerType: 'mouse', isPrimary: true, width: 1, height: 1 };
}

/** How the pointer is moved when a button is held. */
export interface Held {
  buttons: number;
  /** No mouse events: the page prevented `pointerdown`. */
  quietly: boolean;
  /** What gets the pointer's events instead of what lies at the point; the mouse's go there all the same. */
  captor?: Element | undefined;
}

/** Moves the pointer onto a point: out and leave of what was hovered before, over, enter and move of what is there. */
export function hoverOver(
  point: Point,
  modifiers: string[] = [],
  { buttons, quietly, captor }: Held = NONE_HELD,
): void {
  const { hit } = point;
  const mouse: MouseEventInit = { ...common(point, modifiers), buttons, button: buttons ? 0 : env().browser.noButton };
  const pointer: PointerEventInit = { ...mouse, ...mousePointer(), button: -1, pressure: buttons ? 0.5 : 0 };
  const before = hovered?.deref();
  hovered = new WeakRef(hit);
  const movePointer = () => (captor ?? hit).dispatchEvent(new PointerEvent('pointermove', pointer));
  if (before !== hit) {
    showHovered(hit);
    cross(
      before?.isConnected ? before : undefined,
      hit,
      (type, init) => new PointerEvent(`pointer${type}`, { ...pointer, ...init }),
    );
    if (env().browser.pointerMovesFirst) movePointer();
    if (!quietly)
      cross(
        before?.isConnected ? before : undefined,
        hit,
        (type, init) => new MouseEvent(`mouse${type}`, { ...mouse, ...init }),
      );
  }
  if (before === hit || !env().browser.pointerMovesFirst) movePointer();
  if (!quietly) hit.dispatchEvent(new MouseEvent('mousemove', mouse));
}

/** The events of leaving one element and entering another; what holds both hears only that the pointer moved within it. */
function cross(before: Element | undefined, next: Element, make: (type: string, init: MouseEventInit) => Event): void {
  const silent = { bubbles: false, cancelable: false };
  const left = before ? chain(before) : [];
  const entered = chain(next);
  if (before) {
    before.dispatchEvent(make('out', { relatedTarget: next }));
    for (const element of left.filter((one) => !entered.includes(one)))
      element.dispatchEvent(make('leave', { ...silent, relatedTarget: next }));
  }
  next.dispatchEvent(make('over', { relatedTarget: before ?? null }));
  for (const element of entered.filter((one) => !left.includes(one)).reverse())
    element.dispatchEvent(make('enter', { ...silent, relatedTarget: before ?? null }));
}

export function chain(element: Element): Element[] {
  const list: Element[] = [];
  for (let node: Element | null = element; node; node = flatParent(node)) list.push(node);
  return list;
}

/** What there is at a point now; the page may have changed what lies there. */
export function hitAt(point: Point): Element {
  return point.hit.isConnected ? point.hit : (elementAt(point.x, point.y) ?? document.body);
}

/** What a page does at once by promises, it has done before the next event of the same press, as with a real one. */
async function afterwards(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await undefined;
}

/** A mouse button pressed at a point, with what a browser does on it. */
export interface Down {
  element: Element;
  /** A prevented pointerdown takes the mouse events away, not the click. */
  quietly: boolean;
  /** The page prevented what a press does itself: moving the focus, dragging, selecting. */
  prevented: boolean;
  /** The page took the element away as it heard of the press: it has used it, as lists do that choose on `mousedown`. */
  used: boolean;
}

/** Presses a mouse button and holds it. */
export async function pressDown(point: Point, how: Pointing, detail: number): Promise<Down> {
  const [button, buttons] = BUTTONS[how.button];
  const down = { ...common(point, how.modifiers), button, buttons, detail };
  const element = hitAt(point);
  pressed = new WeakRef(element);
  const quietly = !element.dispatchEvent(
    new PointerEvent('pointerdown', { ...down, ...mousePointer(), detail: 0, pressure: 0.5 }),
  );
  await afterwards();
  const prevented = !quietly && !element.dispatchEvent(new MouseEvent('mousedown', down));
  await afterwards();
  const used = !element.isConnected;
  if (!prevented) {
    focusAround(element);
    if (how.button === 'left' && !how.modifiers.includes('Shift') && element.isConnected)
      placeCaret(element, point.x, point.y, detail);
  }
  if (how.button === 'right')
    element.dispatchEvent(new PointerEvent('contextmenu', { ...down, ...mousePointer(), detail: 0 }));
  return { element, quietly, prevented, used };
}

/**
 * Presses and releases a mouse button at a point, `count` times, with everything a browser does around it. The click event itself is
 * dispatched exactly once each time; the browser's own handling of it (following a link, submitting a form, toggling a box) comes with it.
 * No timer of the page runs meanwhile, so that nothing else can come to lie at the point.
 * @returns false where the page took away what was pressed before it was let go
 */
export async function press(point: Point, how: Pointing): Promise<boolean> {
  const [button] = BUTTONS[how.button];
  const init = common(point, how.modifiers);
  hoverOver(point, how.modifiers);
  await afterwards();
  for (let detail = 1; detail <= how.count; detail++) {
    if (detail > 1) untilNextMillisecond();
    const up = { ...init, button, buttons: 0, detail };
    const { element, quietly, used } = await pressDown(point, how, detail);
    const held = element.isConnected;
    const released = hitAt(point);
    released.dispatchEvent(new PointerEvent('pointerup', { ...up, ...mousePointer(), detail: 0 }));
    await afterwards();
    if (!quietly) released.dispatchEvent(new MouseEvent('mouseup', up));
    await afterwards();
    const clicked = clickedBy(element, hitAt(point));
    // What goes away as it is let go has been used, too: menus take their choice so.
    if (!clicked && (held || used)) break;
    if (!clicked) return false;
    clicked.dispatchEvent(new PointerEvent(how.button === 'left' ? 'click' : 'auxclick', { ...up, ...mousePointer() }));
    await afterwards();
    if (detail === 2 && how.button === 'left') hitAt(point).dispatchEvent(new MouseEvent('dblclick', up));
  }
  await env().turn();
  return true;
}

/** Nobody clicks twice within a millisecond: pages that tell a double click by the clock take that for one. Lets nothing of the page run. */
function untilNextMillisecond(): void {
  const since = env().now();
  // Not for ever, where the clock stands still.
  for (let looks = 0; env().now() - since <= 1 && looks < 1_000_000; looks++);
}

/**
 * What is clicked when one element was pressed and the mouse let go over another: what holds both. What took the place of a pressed element
 * that is gone gets the click only where it is the same drawn anew, never a neighbour.
 */
function clickedBy(pressed: Element, released: Element): Element | undefined {
  if (pressed.isConnected) return chain(pressed).find((element) => chain(released).includes(element)) ?? undefined;
  const alike = pressed.localName === released.localName && pressed.textContent === released.textContent;
  return alike ? released : undefined;
}

/**
 * The element that gets all of the pointer's events until it is let go. A page asks for that by `setPointerCapture`, which a browser passes
 * over where no real button is down. What is dragged by the pointer says so by its style, too.
 */
export function capturing(element: Element): Element | undefined {
  const holder = chain(element).find((one) => one.hasPointerCapture(env().browser.mouseId));
  if (holder) return holder;
  return chain(element).some((one) => getComputedStyle(one).touchAction === 'none') ? element : undefined;
}
