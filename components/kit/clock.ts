import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** Epoch milliseconds, moving once a second while something on the page shows a time that runs. */
export const now = signal(Date.now());

let users = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** Keeps `now` moving while the calling component is shown. */
export function useClock(): number {
  useEffect(() => {
    users += 1;
    now.value = Date.now();
    timer ??= setInterval(() => {
      now.value = Date.now();
    }, 1000);
    return () => {
      users -= 1;
      if (users > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }, []);
  return now.value;
}
