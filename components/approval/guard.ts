import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** How long a decision stays impossible after the card appeared, changed or moved: a click meant for what was there before does nothing. */
export const GUARD_MS = 500;
const SAMPLE_MS = 100;

/** Where the decision sits within what scrolls with it; a person's own scrolling is no move of the card. */
function positionOf(element: Element): string {
  const box = element.getBoundingClientRect();
  let x = box.left + scrollX;
  let y = box.top + scrollY;
  for (let up = element.parentElement; up; up = up.parentElement) {
    x += up.scrollLeft;
    y += up.scrollTop;
  }
  const root = document.documentElement;
  x -= root.scrollLeft;
  y -= root.scrollTop;
  return `${Math.round(x)},${Math.round(y)}`;
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
  const position = useRef('');

  const arm = () => {
    until.current = performance.now() + GUARD_MS;
    setInert(true);
  };

  // Arms again when the element is no longer where it was at the last look.
  const look = (): boolean => {
    const at = element.current ? positionOf(element.current) : '';
    if (at !== position.current) {
      position.current = at;
      arm();
    }
    const free = performance.now() >= until.current;
    if (free) setInert(false);
    return free;
  };

  // Before the next paint: between a new hash on screen and the guard there must be no moment for a click.
  useLayoutEffect(() => {
    position.current = element.current ? positionOf(element.current) : '';
    arm();
    const timer = setInterval(look, SAMPLE_MS);
    const onVisible = () => {
      if (document.visibilityState === 'visible') arm();
    };
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [subject]);

  return { inert, check: look };
}
