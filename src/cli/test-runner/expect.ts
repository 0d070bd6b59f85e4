import { parseDuration } from '../../model/duration.ts';
import { type Json, jsonEqual } from '../../model/json.ts';
import type { Problem } from '../../model/workflow.ts';
import type { TestCase } from './file.ts';
import type { Session } from './session.ts';

type Expectation = TestCase['expect'];

function show(value: unknown): string {
  const shown = JSON.stringify(value);
  return shown === undefined ? 'nothing' : shown.length > 400 ? `${shown.slice(0, 400)}…` : shown;
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return jsonEqual([...new Set(a)].sort(), [...new Set(b)].sort());
}

/** What differs between the codes expected and those found; only what is named is compared. */
export function compareProblems(expected: Expectation, problems: readonly Problem[]): string[] {
  const failures: string[] = [];
  const codes = (severity: string) =>
    problems.filter((problem) => problem.severity === severity).map((problem) => problem.code);
  const errors = codes('error');
  const told = problems.map((problem) => `${problem.pointer} ${problem.code}: ${problem.message}`).join('; ');
  if (expected.preflight && !sameSet(expected.preflight, errors))
    failures.push(`preflight: expected ${show(expected.preflight)}, found ${show(errors)} (${told})`);
  if (!expected.preflight && errors.length > 0) failures.push(`preflight refused the start: ${told}`);
  if (expected.warnings && !sameSet(expected.warnings, codes('warning')))
    failures.push(`warnings: expected ${show(expected.warnings)}, found ${show(codes('warning'))}`);
  return failures;
}

/** What differs between a finished case and what it expects. */
export async function compareRun(session: Session, expected: Expectation): Promise<string[]> {
  const failures: string[] = [];
  const run = await session.run();
  const differ = (what: string, want: unknown, found: unknown) =>
    failures.push(`${what}: expected ${show(want)}, found ${show(found)}`);
  if (expected.status !== undefined && run?.status !== expected.status) {
    differ(
      'status',
      expected.status,
      `${run?.status}${run?.error ? ` (${run.error.code}: ${run.error.message})` : ''}`,
    );
  }
  if (expected.error !== undefined && run?.error?.code !== expected.error)
    differ('error', expected.error, run?.error?.code);
  if (expected.output !== undefined && !jsonEqual(expected.output, run?.output))
    differ('output', expected.output, run?.output);
  const rows = new Map((await session.steps()).map((row) => [row.path, row]));
  for (const [path, want] of Object.entries(expected.steps ?? {})) {
    const row = rows.get(path);
    for (const [key, value] of Object.entries(want)) {
      const found: Json | undefined =
        key === 'status'
          ? (row?.status ?? 'pending')
          : key === 'attempts'
            ? (row?.attempts.length ?? 0)
            : key === 'error'
              ? row?.error?.code
              : key === 'degraded'
                ? (row?.degraded ?? false)
                : key === 'output'
                  ? row?.output
                  : undefined;
      if (!jsonEqual(value, found)) differ(`${path}.${key}`, value, found);
    }
    if (!row && Object.keys(want).length === 0) differ(path, 'a step run', undefined);
  }
  for (const [key, want] of Object.entries(expected.calls ?? {})) {
    const found = session.mocks.calls.get(key) ?? 0;
    if (found !== want) differ(`calls of ${key}`, want, found);
  }
  if (expected.elapsed && run) {
    const elapsed = (run.endedAt ?? session.clock.now()) - run.createdAt;
    const { min, max } = expected.elapsed;
    if (min !== undefined && elapsed < (parseDuration(min) ?? 0)) differ('elapsed', `at least ${min}`, `${elapsed} ms`);
    if (max !== undefined && elapsed > (parseDuration(max) ?? 0)) differ('elapsed', `at most ${max}`, `${elapsed} ms`);
  }
  if (expected.runs !== undefined) {
    const runs = await session.store.runs({ limit: 1000, outermost: true });
    if (runs.length !== expected.runs) differ('runs', expected.runs, runs.length);
  }
  for (const path of session.mocks.missing) failures.push(`${path} called outside without a mock`);
  for (const fault of session.faults) failures.push(`the engine had a fault: ${fault}`);
  return failures;
}
