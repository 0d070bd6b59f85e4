import {
  CircleCheck,
  CircleDashed,
  CircleMinus,
  CirclePause,
  CircleSlash,
  CircleX,
  Clock,
  Hourglass,
  LoaderCircle,
  TriangleAlert,
} from 'lucide-preact';
import type { RunStatus, StepStatus } from '../../src/model/run.ts';
import { t } from './i18n.tsx';

type Any = RunStatus | StepStatus;

const GLYPHS = {
  queued: Clock,
  pending: CircleDashed,
  running: LoaderCircle,
  waiting: Hourglass,
  paused: CirclePause,
  completed: CircleCheck,
  partial: TriangleAlert,
  failed: CircleX,
  cancelled: CircleSlash,
  skipped: CircleMinus,
} as const satisfies Record<Any, unknown>;

/** The glyph of a state, in its colour. Always beside its word, or with the word in the accessible name. */
export function StatusGlyph({ status, size = 16 }: { status: Any; size?: number }) {
  const Glyph = GLYPHS[status];
  return <Glyph size={size} class={`glyph status-${status}`} aria-hidden="true" />;
}

/** A state as glyph, word and colour. */
export function Status({ status }: { status: Any }) {
  return (
    <span class={`status status-${status}`} data-status={status}>
      <StatusGlyph status={status} />
      {t(`status.${status}`)}
    </span>
  );
}
