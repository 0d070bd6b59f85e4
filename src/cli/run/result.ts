import type { RunDetail } from '../../app/protocol.ts';
import type { Json } from '../../model/json.ts';
import type { RunStatus, StepStatus, Usage } from '../../model/run.ts';
import type { Problem } from '../../model/workflow.ts';

/** Exit statuses of `tabloom run`. */
export const EXIT = { completed: 0, failed: 1, refused: 2, partial: 3, waiting: 4 } as const;

interface ResultError {
  code: string;
  message: string;
  step: string | null;
}

/** The last line of `--json`. */
export interface RunResult {
  runId: string | null;
  status: RunStatus | 'refused';
  output: Json;
  error: ResultError | null;
  steps: Record<string, { status: StepStatus; attempts: number; output: Json; error: ResultError | null }>;
  usage: Usage;
  durationMs: number;
}

/** The result of a run that has ended or is left waiting. @param now epoch milliseconds */
export function resultOf({ run, steps }: RunDetail, now: number): RunResult {
  return {
    runId: run.runId,
    status: run.status,
    output: run.output ?? null,
    error: errorOf(run.error),
    steps: Object.fromEntries(
      [...steps]
        .sort((a, b) => a.order - b.order)
        .map((row) => [
          row.path,
          { status: row.status, attempts: row.attempt, output: row.output ?? null, error: errorOf(row.error) },
        ]),
    ),
    usage: run.usage,
    durationMs: (run.endedAt ?? now) - run.createdAt,
  };
}

/** The result of a start that was refused: nothing has run. */
export function refusedResult(problems: readonly Problem[], fallback: { code: string; message: string }): RunResult {
  const first = problems.find(({ severity }) => severity === 'error');
  return {
    runId: null,
    status: 'refused',
    output: null,
    error: {
      code: first?.code ?? fallback.code,
      message: first?.message ?? fallback.message,
      step: first?.step ?? null,
    },
    steps: {},
    usage: { inputTokens: 0, outputTokens: 0 },
    durationMs: 0,
  };
}

/** What the command ends with for a run in this state. */
export function exitCodeOf(status: RunStatus): number {
  switch (status) {
    case 'completed':
      return EXIT.completed;
    case 'partial':
      return EXIT.partial;
    case 'failed':
    case 'cancelled':
      return EXIT.failed;
    default:
      return EXIT.waiting;
  }
}

function errorOf(error: { code: string; message: string; step?: string } | undefined): ResultError | null {
  return error ? { code: error.code, message: error.message, step: error.step ?? null } : null;
}
