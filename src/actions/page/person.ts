import { env, PageError } from './env.ts';

/** How long a person must have let the page alone before anything is done to it, milliseconds. */
export const QUIET = 1500;

/**
 * What a person does to a page. Passing over it with the pointer is nothing of that, nor are events that follow from others (`click`, `input`,
 * `scroll`): some of those are trusted when an act of ours has raised them.
 */
const INPUTS = ['pointerdown', 'pointerup', 'pointermove', 'keydown', 'keyup', 'wheel'] as const;

/** What is said to whoever waits for them. */
export const SOMEBODY_THERE =
  'Let the page alone for a moment, then retry: somebody is typing or clicking in it, and the step waits until they are done.';

let clock = (): number => env().now();
let last: number | undefined;

/**
 * Begins to notice a person's input in this document; what the driver dispatches is not trusted, so it does not count.
 * @param now milliseconds on a clock that only goes forward; the page script's own where none is given
 */
export function watchPerson(now = clock): void {
  clock = now;
  // Where they are heard already this changes nothing; a frame may have lost what was heard in its first, empty document.
  for (const type of INPUTS) addEventListener(type, noticeInput, { capture: true, passive: true });
}

/** Notices nothing any more. */
export function letPersonBe(): void {
  last = undefined;
  for (const type of INPUTS) removeEventListener(type, noticeInput, { capture: true });
}

/** Takes one event into account. */
export function noticeInput(event: Event): void {
  if (!event.isTrusted) return;
  if (event.type === 'pointermove' && (event as PointerEvent).buttons === 0) return;
  last = clock();
}

/** Whether a person is at the page, or was a moment ago. */
export function isPersonAtWork(): boolean {
  return last !== undefined && clock() - last < QUIET;
}

/** @throws PageError `element_not_actionable` with the reason `person`, worth waiting for */
export function checkNobody(): void {
  if (!isPersonAtWork()) return;
  throw new PageError('element_not_actionable', SOMEBODY_THERE, { wait: true, details: { reason: 'person' } });
}
