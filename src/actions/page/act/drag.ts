import { elementAt, flatParent } from '../dom.ts';
import { env, PageError } from '../env.ts';
import { type Point, pointOf, takesDrop } from '../find/actionable.ts';
import { describe } from '../find/resolve.ts';
import { isTextField, selectTo, setValue } from './caret.ts';
import { capturing, common, hoverOver, mousePointer, pressDown } from './events.ts';

/** How many moves lead from one element to the other. */
const MOVES = 8;

/**
 * Drags what lies at a point onto an element. Where the page has native drag and drop for it, by its events and one set of data; else by
 * the pointer alone.
 * @throws PageError `element_not_actionable` when the element does not take what is dropped on it
 */
export async function dragOnto(from: Element, start: Point, to: Element): Promise<void> {
  hoverOver(start);
  await env().turn();
  const { element, quietly, prevented } = await pressDown(start, { button: 'left', count: 1, modifiers: [] }, 1);
  await pause();
  const slider = rangeAround(element);
  // A page may say only now that it can be dragged.
  const source = prevented || slider ? undefined : draggableAround(element);
  if (!inWindow(to)) to.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  const box = to.getBoundingClientRect();
  const end = { x: clamp(box.left + box.width / 2, innerWidth), y: clamp(box.top + box.height / 2, innerHeight) };
  const first = step(start, end, 1);
  movePointer(first, element, quietly);
  await pause();
  const data = source ? env().transfer() : undefined;
  if (source && data && fillData(source, data) && send(source, 'dragstart', start, data)) {
    source.dispatchEvent(
      new PointerEvent('pointercancel', { ...common(start, []), ...mousePointer(), cancelable: false }),
    );
    await pause();
    return dropNatively(source, data, start, end, to);
  }
  for (let move = 2; move <= MOVES; move++) {
    const point = step(start, end, move);
    movePointer(point, element, quietly);
    if (slider) slide(slider, point.x);
    await pause();
  }
  if (!prevented && !quietly && !slider && !isTextField(from)) selectTo(start, end);
  // Where the pointer comes to rest: many lists decide by a last move there.
  movePointer(step(start, end, MOVES), element, quietly);
  await pause();
  release(end, element, quietly);
  if (slider) slider.dispatchEvent(new Event('change', { bubbles: true }));
  await env().turn();
}

/** The time from one event to the next in which a page draws. */
async function pause(): Promise<void> {
  await env().frame();
  await env().turn();
}

function clamp(value: number, most: number): number {
  return Math.min(Math.max(value, 0), most - 1);
}

function inWindow(element: Element): boolean {
  const box = element.getBoundingClientRect();
  const x = box.left + box.width / 2;
  const y = box.top + box.height / 2;
  return x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
}

function step(start: { x: number; y: number }, end: { x: number; y: number }, move: number): Point {
  const x = start.x + ((end.x - start.x) * move) / MOVES;
  const y = start.y + ((end.y - start.y) * move) / MOVES;
  return { x, y, hit: elementAt(x, y) ?? document.documentElement };
}

/** Moves with the button held. */
function movePointer(point: Point, pressed: Element, quietly: boolean): void {
  hoverOver(point, [], { buttons: 1, quietly, captor: capturing(pressed) });
}

function release(end: { x: number; y: number }, pressed: Element, quietly: boolean): void {
  const hit = elementAt(end.x, end.y) ?? document.documentElement;
  const captor = capturing(pressed);
  const up = { ...common({ ...end, hit }, []), button: 0, buttons: 0, detail: 1 };
  (captor ?? hit).dispatchEvent(new PointerEvent('pointerup', { ...up, ...mousePointer(), detail: 0 }));
  const { mouseId } = env().browser;
  if (captor?.hasPointerCapture(mouseId)) captor.releasePointerCapture(mouseId);
  if (!quietly) hit.dispatchEvent(new MouseEvent('mouseup', up));
  for (let node: Element | null = pressed; node; node = flatParent(node)) {
    if (!node.contains(hit)) continue;
    node.dispatchEvent(new PointerEvent('click', { ...up, ...mousePointer() }));
    return;
  }
}

/** What is dragged when this is pressed: itself or what it sits in; pictures and links can be dragged unless they say otherwise. */
function draggableAround(element: Element): HTMLElement | undefined {
  for (let node: Element | null = element; node; node = flatParent(node)) {
    if (!(node instanceof HTMLElement)) continue;
    if (isTextField(node)) return undefined;
    if (node.draggable) return node;
  }
  return undefined;
}

/** As the browser does for what it lets drag by itself. */
function fillData(source: HTMLElement, data: DataTransfer): true {
  const url = source instanceof HTMLAnchorElement ? source.href : source instanceof HTMLImageElement ? source.src : '';
  if (url) {
    data.setData('text/uri-list', url);
    data.setData('text/plain', url);
  }
  return true;
}

function send(
  on: Element,
  type: string,
  at: { x: number; y: number },
  dataTransfer: DataTransfer,
  relatedTarget: Element | null = null,
): boolean {
  const cancelable = type !== 'dragleave' && type !== 'dragend';
  const init = { ...common({ ...at, hit: on }, []), buttons: type === 'dragend' || type === 'drop' ? 0 : 1 };
  return on.dispatchEvent(new DragEvent(type, { ...init, cancelable, dataTransfer, relatedTarget }));
}

async function dropNatively(
  source: HTMLElement,
  data: DataTransfer,
  start: { x: number; y: number },
  end: { x: number; y: number },
  to: Element,
): Promise<void> {
  let over: Element | undefined;
  let accepted = false;
  // One more than there are moves: a page may put something at the place it shows for the drop, which is then what is dropped on.
  for (let move = 1; move <= MOVES + 1; move++) {
    const point = step(start, end, Math.min(move, MOVES));
    if (source.isConnected) send(source, 'drag', point, data);
    if (point.hit !== over) {
      const entered = !send(point.hit, 'dragenter', point, data, over ?? null);
      if (over?.isConnected) send(over, 'dragleave', point, data, point.hit);
      over = point.hit;
      accepted = entered;
    }
    accepted = !send(over, 'dragover', point, data);
    await pause();
  }
  if (over && accepted) send(over, 'drop', end, data);
  else if (over) send(over, 'dragleave', end, data);
  await env().turn();
  if (source.isConnected) send(source, 'dragend', end, data);
  await pause();
  if (accepted) return;
  throw new PageError(
    'element_not_actionable',
    `Name another place to drop at: ${describe(to)} does not take ${describe(source)}.`,
    { details: { reason: 'not accepted' } },
  );
}

function rangeAround(element: Element): HTMLInputElement | undefined {
  return element instanceof HTMLInputElement && element.type === 'range' && !element.disabled ? element : undefined;
}

/** Moves a slider's thumb to a place across the window. */
function slide(field: HTMLInputElement, x: number): void {
  const box = field.getBoundingClientRect();
  const part = Math.min(Math.max((x - box.left) / Math.max(box.width, 1), 0), 1);
  const share = getComputedStyle(field).direction === 'rtl' ? 1 - part : part;
  const least = Number(field.min || 0);
  const before = field.value;
  // The browser rounds it to a step.
  setValue(field, String(least + share * (Number(field.max || 100) - least)));
  if (field.value !== before) field.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
}

/** Where a drag begins, once where it ends can be reached too. */
export function dragPoint(from: Element, to: Element): Point {
  if (!(from instanceof HTMLInputElement && from.type === 'range')) pointOf(to, takesDrop);
  return pointOf(from);
}
