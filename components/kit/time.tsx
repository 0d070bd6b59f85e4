import { useClock } from './clock.ts';
import { translator } from './i18n.tsx';

/** A moment as its distance from now, the absolute time in the tooltip. Ticks. */
export function RelativeTime({ at }: { at: number }) {
  const now = useClock();
  const tr = translator.value;
  return (
    <time dateTime={new Date(at).toISOString()} title={tr.date(at)}>
      {tr.relative(at, now)}
    </time>
  );
}

/** How long something has taken so far. Ticks while `to` is absent. */
export function Elapsed({ from, to }: { from: number; to?: number }) {
  const now = useClock();
  return <span class="nowrap">{translator.value.duration((to ?? now) - from)}</span>;
}
