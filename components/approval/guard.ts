import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** How long a decision stays impossible after the card appeared, changed or moved: a click meant for what was there before does nothing. */
export const GUARD_MS = 500;
const SAMPLE_MS = 100;

/** Where the decision was at one look, in whole pixels. */
export interface Sight {
  /** The buttons in the window. They may stick to its edge while the card scrolls. */
  x: number;
  y: number;
  /** The card within what scrolls with it. */
  cardX: number;
  cardY: number;
  /** How far everything around it is scrolled. */
  scrollX: number;
  scrollY: number;
}

/**
 * Whether something other than the person's own scrolling moved the decision: the card is elsewhere in the page, or the buttons moved in
 * the window further than what was scrolled, or the other way. Buttons that stick to the edge stay where they are, which is no move.
 */
export function moved(before: Sight, after: Sight): boolean {
  if (before.cardX !== after.cardX || before.cardY !== after.cardY) return true;
  return (
    !explained(after.x - before.x, after.scrollX - before.scrollX) ||
    !explained(after.y - before.y, after.scrollY - before.scrollY)
  );
}

/** True for a distance between none (the buttons stick) and that of the scrolling (they go along); halves of a pixel may be rounded apart. */
function explained(distance: number, scrolled: number): boolean {
  return distance >= Math.min(0, -scrolled) - 1 && distance <= Math.max(0, -scrolled) + 1;
}

function look(element: Element): Sight {
  const box = element.getBoundingClientRect();
  const card = (element.closest('article') ?? element).getBoundingClientRect();
  let left = 0;
  let top = 0;
  for (let up = element.parentElement; up; up = up.parentElement) {
    left += up.scrollLeft;
    top += up.scrollTop;
  }
  const around = { scrollX: Math.round(left), scrollY: Math.round(top) };
  return {
    x: Math.round(box.left),
    y: Math.round(box.top),
    cardX: Math.round(card.left + left),
    cardY: Math.round(card.top + top),
    ...around,
  };
}

/**
 * Guards the decision buttons against clicks that were aimed at something else. Armed when the card appears, when `subject` (its
 * hash) changes, when the element moves, and when the page becomes visible again. `check()` tells at the moment of the click.
 */
export function useGuard(
  element: RefObject<HTMLElement | null>,
  subject: string,
): { inert: boolean; check: () => boolean } {
  const [inert, setInert] = useState(true);
  const until = useRef(0);
  const seen = useRef<Sight | undefined>(undefined);

  const arm = () => {
    until.current = performance.now() + GUARD_MS;
    setInert(true);
  };

  // Arms again when the element is no longer where it was at the last look.
  const check = (): boolean => {
    const before = seen.current;
    seen.current = element.current ? look(element.current) : undefined;
    if (!before || !seen.current || moved(before, seen.current)) arm();
    const free = performance.now() >= until.current;
    if (free) setInert(false);
    return free;
  };

  // Before the next paint: between a new hash on screen and the guard there must be no moment for a click.
  useLayoutEffect(() => {
    seen.current = element.current ? look(element.current) : undefined;
    arm();
    const timer = setInterval(check, SAMPLE_MS);
    const onVisible = () => {
      if (document.visibilityState === 'visible') arm();
    };
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [subject]);

  // What the card itself drew may have moved the buttons (a hint went away, a field opened): seen at once, and not at the next look.
  useLayoutEffect(() => void check());

  return { inert, check };
}
