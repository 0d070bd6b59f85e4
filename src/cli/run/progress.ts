import type { RunDetail } from '../../app/protocol.ts';
import type { StepRunRow, StepStatus } from '../../model/run.ts';
import { durationText, oneLine } from './text.ts';

export const GLYPHS: Record<StepStatus, string> = {
  pending: '·',
  running: '→',
  waiting: '‖',
  completed: '✓',
  failed: '✗',
  skipped: '↷',
  cancelled: '⊘',
};

/** Prints a line for each step whose state has changed since the last look. Steps that hold others are left to the tree. */
export class Progress {
  readonly #seen = new Map<string, string>();
  readonly #say: (line: string) => void;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  /** Compares with what was there and says what is new, in the order in which steps appeared. */
  update(detail: Pick<RunDetail, 'steps'>): void {
    for (const row of [...detail.steps].sort((a, b) => a.order - b.order)) {
      const state = `${row.status} ${row.attempt} ${row.wait?.kind ?? ''} ${row.wait?.reason ?? ''} ${backoff(row) ?? ''}`;
      if (this.#seen.get(row.path) === state) continue;
      this.#seen.set(row.path, state);
      const line = progressLine(row);
      if (line !== undefined) this.#say(line);
    }
  }
}

/** One line for a step's present state; `undefined` for states that are no news. */
export function progressLine(row: StepRunRow): string | undefined {
  const head = `${GLYPHS[row.status]} ${row.path}`;
  const name = row.name !== '' && row.name !== row.stepId ? `  ${oneLine(row.name, 60)}` : '';
  switch (row.status) {
    case 'pending':
      return undefined;
    case 'running': {
      const delay = backoff(row);
      if (delay !== undefined)
        return `${head}  attempt ${row.attempt} failed, again in ${durationText(delay)}: ${reasonOf(row)}`;
      return row.attempt > 1 ? `${head}${name}  attempt ${row.attempt}` : `${head}${name}`;
    }
    case 'waiting':
      return `${head}  ${oneLine(row.wait?.reason ?? `waiting for ${row.wait?.kind ?? 'something'}`)}`;
    case 'completed':
      return `${head}${took(row)}${row.degraded ? '  by its fallback' : ''}`;
    case 'failed':
      return `${head}${took(row)}  ${row.error?.code ?? 'internal'}: ${oneLine(row.error?.message ?? '')}`;
    case 'skipped':
    case 'cancelled':
      return row.reason === undefined ? head : `${head}  ${oneLine(row.reason)}`;
  }
}

/** Milliseconds of the backoff that the step is in. */
function backoff(row: StepRunRow): number | undefined {
  const last = row.attempts.at(-1);
  return row.status === 'running' && last?.error !== undefined ? last.delayMs : undefined;
}

function reasonOf(row: StepRunRow): string {
  const error = row.attempts.at(-1)?.error;
  return error === undefined ? '' : `${error.code}, ${oneLine(error.message)}`;
}

function took(row: StepRunRow): string {
  return row.startedAt === undefined || row.endedAt === undefined
    ? ''
    : `  ${durationText(row.endedAt - row.startedAt)}`;
}
