import { describeTarget, type Target } from '../../describe.ts';
import { flatParent } from '../dom.ts';
import { env, PageError } from '../env.ts';
import { findOne } from '../find/resolve.ts';

/** How much of what is in view one step goes on by. */
const STEP = 0.8;
/** How long nothing may move or come, at the end of a list, before it counts as all there is, milliseconds. */
const REST = 2500;
/** Without a look for this long, another search has begun. */
const ABANDONED = 5000;

export interface ScrollArgs {
  target?: Target;
  by?: { x: number; y: number };
  to?: 'top' | 'bottom';
  until?: Target;
}

function root(): Element {
  return document.scrollingElement ?? document.documentElement;
}

/** Whether there is more of an element than it shows, which can be scrolled to. */
function canScroll(element: Element, across: boolean): boolean {
  if (element === root() || element === document.body || element === document.documentElement) return false;
  const style = getComputedStyle(element);
  const overflow = across ? style.overflowX : style.overflowY;
  if (overflow !== 'auto' && overflow !== 'scroll' && overflow !== 'hidden') return false;
  return across ? element.scrollWidth > element.clientWidth : element.scrollHeight > element.clientHeight;
}

/** What scrolls when an element is scrolled: itself, or the nearest around it, or the page. */
export function scrollerOf(element: Element, across: boolean): Element {
  for (let node: Element | null = element; node; node = flatParent(node)) if (canScroll(node, across)) return node;
  return root();
}

/** The wheel, which some lists move themselves by. @returns false where the page said that it does */
function wheel(at: Element, x: number, y: number): boolean {
  const box = at.getBoundingClientRect();
  const clientX = Math.min(Math.max(box.left + box.width / 2, 0), innerWidth - 1);
  const clientY = Math.min(Math.max(box.top + box.height / 2, 0), innerHeight - 1);
  const init = { bubbles: true, cancelable: true, composed: true, view: window, clientX, clientY };
  return at.dispatchEvent(new WheelEvent('wheel', { ...init, deltaX: x, deltaY: y, deltaMode: 0 }));
}

function move(at: Element, scroller: Element, x: number, y: number): void {
  if (wheel(at, x, y)) scroller.scrollBy({ left: x, top: y, behavior: 'instant' });
}

/** Scrolls by pixels or to an end, and waits until the page has heard of it. */
export async function scrollOnce(element: Element | undefined, { by, to }: ScrollArgs): Promise<void> {
  const at = element ?? root();
  if (by) {
    const across = Math.abs(by.x) > Math.abs(by.y);
    move(at, scrollerOf(at, across), by.x, by.y);
  } else {
    const scroller = scrollerOf(at, false);
    const before = scroller.scrollTop;
    scroller.scrollTo({ top: to === 'top' ? 0 : scroller.scrollHeight, behavior: 'instant' });
    if (scroller.scrollTop === before) wheel(at, 0, to === 'top' ? -100_000 : 100_000);
  }
  await env().frame();
  await env().turn();
}

/** How far a search by scrolling has come in what it scrolls. */
interface Search {
  from: number;
  wrapped: boolean;
  mark: string;
  moved: number;
  looked: number;
}

const searches = new WeakMap<Element, Search>();

/**
 * One look for an element, or one step on towards it: down to the end, then from the top to where it began.
 * @throws PageError `element_not_found`, worth asking again until there is no more to scroll to
 */
export function stepUntil(element: Element | undefined, until: Target, begin: () => void): void {
  const at = element ?? root();
  const scroller = scrollerOf(at, false);
  const found = look(until);
  if (found) {
    begin();
    searches.delete(scroller);
    if (!inView(found)) found.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
    return;
  }
  const now = env().now();
  const known = searches.get(scroller);
  const search =
    known && now - known.looked < ABANDONED
      ? known
      : { from: scroller.scrollTop, wrapped: scroller.scrollTop <= 0, mark: '', moved: now, looked: now };
  searches.set(scroller, search);
  const mark = markOf(at, scroller);
  if (mark !== search.mark) Object.assign(search, { mark, moved: now });
  search.looked = now;
  const done = now - search.moved >= REST || (search.wrapped && search.from > 0 && scroller.scrollTop > search.from);
  if (done && search.wrapped) {
    searches.delete(scroller);
    throw new PageError(
      'element_not_found',
      `Check the target: ${describeTarget(until)} did not come into view anywhere; there is no more to scroll to.`,
      { details: { target: describeTarget(until), reason: 'end' } },
    );
  }
  // Not begun yet: what has begun is not looked for again.
  if (done) {
    Object.assign(search, { wrapped: true, moved: now });
    scroller.scrollTo({ top: 0, behavior: 'instant' });
  } else {
    move(at, scroller, 0, Math.max(40, Math.min(scroller.clientHeight, innerHeight) * STEP));
  }
  throw new PageError('element_not_found', `Scroll further: ${describeTarget(until)} has not come into view yet.`, {
    wait: true,
    details: { target: describeTarget(until) },
  });
}

function look(until: Target): Element | undefined {
  try {
    return findOne(until).element;
  } catch (error) {
    if (error instanceof PageError && error.info.code === 'element_not_found') return undefined;
    throw error;
  }
}

/** Differs when anything has moved or come. */
function markOf(at: Element, scroller: Element): string {
  return `${scroller.scrollTop}|${scroller.scrollHeight}|${at.textContent?.length ?? 0}|${at.querySelectorAll('*').length}`;
}

/** Whether all of an element that fits is shown by the window and by all that it is scrolled in. */
function inView(element: Element): boolean {
  const box = element.getBoundingClientRect();
  if (box.top < 0 || box.bottom > innerHeight || box.left < 0 || box.right > innerWidth) return false;
  for (let node = flatParent(element); node; node = flatParent(node)) {
    if (!canScroll(node, false)) continue;
    const outer = node.getBoundingClientRect();
    if (box.top < outer.top || box.bottom > outer.bottom) return false;
  }
  return true;
}

/** What keys scroll where nothing else takes them. */
export function scrollByKey(at: Element, key: string, shift: boolean): void {
  const across = key === 'ArrowLeft' || key === 'ArrowRight';
  const scroller = scrollerOf(at, across);
  const page = Math.min(scroller.clientHeight, innerHeight) * 0.875;
  const y =
    { ArrowUp: -40, ArrowDown: 40, PageUp: -page, PageDown: page, ' ': shift ? -page : page, Home: -1e7, End: 1e7 }[
      key
    ] ?? 0;
  const x = { ArrowLeft: -40, ArrowRight: 40 }[key] ?? 0;
  if (x !== 0 || y !== 0) scroller.scrollBy({ left: x, top: y, behavior: 'instant' });
}
