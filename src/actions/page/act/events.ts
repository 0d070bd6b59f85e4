import { flatParent, focusedElement } from '../dom.ts';
import type { Point } from '../find/actionable.ts';

export interface Pointing {
  button: 'left' | 'middle' | 'right';
  count: number;
  modifiers: string[];
}

const BUTTONS = { left: [0, 1], middle: [1, 4], right: [2, 2] } as const;

let hovered: WeakRef<Element> | undefined;

/** Fields that all events of a gesture at a point share. */
function common(point: Point, modifiers: string[]): MouseEventInit {
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

// Pointer 1 is the mouse in every browser, so that `setPointerCapture` in a page's handler finds it.
const MOUSE_POINTER: PointerEventInit = { pointerId: 1, pointerType: 'mouse', isPrimary: true, width: 1, height: 1 };

/** Moves the pointer onto a point: out and leave of what was hovered before, over, enter and move of what is there. */
export function hoverOver(point: Point, modifiers: string[] = []): void {
  const init = common(point, modifiers);
  const pointer = { ...init, ...MOUSE_POINTER, button: -1 };
  const quiet = { bubbles: false, cancelable: false };
  const before = hovered?.deref();
  if (before?.isConnected && before !== point.hit) {
    before.dispatchEvent(new PointerEvent('pointerout', { ...pointer, relatedTarget: point.hit }));
    before.dispatchEvent(new MouseEvent('mouseout', { ...init, relatedTarget: point.hit }));
    for (const left of chain(before).filter((element) => !element.contains(point.hit))) {
      left.dispatchEvent(new PointerEvent('pointerleave', { ...pointer, ...quiet }));
      left.dispatchEvent(new MouseEvent('mouseleave', { ...init, ...quiet }));
    }
  }
  if (before !== point.hit) {
    point.hit.dispatchEvent(new PointerEvent('pointerover', pointer));
    const entered = chain(point.hit).reverse();
    for (const element of entered) element.dispatchEvent(new PointerEvent('pointerenter', { ...pointer, ...quiet }));
    point.hit.dispatchEvent(new MouseEvent('mouseover', init));
    for (const element of entered) element.dispatchEvent(new MouseEvent('mouseenter', { ...init, ...quiet }));
  }
  hovered = new WeakRef(point.hit);
  point.hit.dispatchEvent(new PointerEvent('pointermove', pointer));
  point.hit.dispatchEvent(new MouseEvent('mousemove', init));
}

function chain(element: Element): Element[] {
  const list: Element[] = [];
  for (let node: Element | null = element; node; node = flatParent(node)) list.push(node);
  return list;
}

/**
 * Presses and releases a mouse button at a point, `count` times, with everything a browser does around it. The click event itself is
 * dispatched exactly once each time; the browser's own handling of it (following a link, submitting a form, toggling a box) comes with it.
 */
export function press(point: Point, how: Pointing): void {
  const [button, buttons] = BUTTONS[how.button];
  const init = common(point, how.modifiers);
  const at = (): Element =>
    point.hit.isConnected ? point.hit : (document.elementFromPoint(point.x, point.y) ?? document.body);
  hoverOver(point, how.modifiers);
  for (let detail = 1; detail <= how.count; detail++) {
    const down = { ...init, button, buttons, detail };
    const up = { ...init, button, buttons: 0, detail };
    const pressed = at();
    const quietly = !pressed.dispatchEvent(
      new PointerEvent('pointerdown', { ...down, ...MOUSE_POINTER, detail: 0, pressure: 0.5 }),
    );
    // A prevented pointerdown takes the mouse events away, not the click.
    const keepFocus = !quietly && !pressed.dispatchEvent(new MouseEvent('mousedown', down));
    if (!keepFocus) focusAround(pressed);
    if (how.button === 'right') pressed.dispatchEvent(new PointerEvent('contextmenu', { ...down, ...MOUSE_POINTER }));
    const released = at();
    released.dispatchEvent(new PointerEvent('pointerup', { ...up, ...MOUSE_POINTER, detail: 0 }));
    if (!quietly) released.dispatchEvent(new MouseEvent('mouseup', up));
    const clicked = pressed === released ? released : commonHolder(pressed, released);
    clicked.dispatchEvent(new PointerEvent(how.button === 'left' ? 'click' : 'auxclick', { ...up, ...MOUSE_POINTER }));
    if (detail === 2 && how.button === 'left') at().dispatchEvent(new MouseEvent('dblclick', up));
  }
}

/** As in a browser, a click whose press and release differ goes to what holds both. */
function commonHolder(a: Element, b: Element): Element {
  return chain(a).find((element) => element.contains(b)) ?? b;
}

const FOCUSABLE =
  'a[href], area[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary, iframe, ' +
  '[tabindex], [contenteditable=""], [contenteditable="true"], [contenteditable="plaintext-only"]';

/** Focuses what a press there would focus; takes the focus away where nothing is focusable. */
function focusAround(element: Element): void {
  for (const candidate of chain(element)) {
    if (!candidate.matches(FOCUSABLE)) continue;
    focus(candidate as HTMLElement);
    return;
  }
  const active = focusedElement();
  if (active instanceof HTMLElement && active !== document.body) active.blur();
}

/**
 * Focuses an element. A page whose window is not in front gets no focus events from the browser; then they are made here, so that it
 * notices the change as it would in front of a person.
 */
export function focus(element: HTMLElement | SVGElement): void {
  const before = focusedElement();
  if (before === element) return;
  let told = false;
  const listen = (): void => {
    told = true;
  };
  element.addEventListener('focus', listen, { capture: true });
  element.focus({ preventScroll: true });
  element.removeEventListener('focus', listen, { capture: true });
  if (told) return;
  if (before instanceof HTMLElement && before !== document.body) {
    before.dispatchEvent(new FocusEvent('blur', { composed: true, relatedTarget: element }));
    before.dispatchEvent(new FocusEvent('focusout', { bubbles: true, composed: true, relatedTarget: element }));
  }
  if (focusedElement() !== element) return;
  element.dispatchEvent(new FocusEvent('focus', { composed: true, relatedTarget: before }));
  element.dispatchEvent(new FocusEvent('focusin', { bubbles: true, composed: true, relatedTarget: before }));
}
