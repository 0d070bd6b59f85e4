import type { RunDetail } from '../../src/app/protocol.ts';
import type { ApprovalRow, RunRow, StepRunRow } from '../../src/model/run.ts';
import { runRow } from '../support/rows.ts';

/** A run as the background hands it out. */
export function detailOf(run: Partial<RunRow>, steps: StepRunRow[] = [], approvals: ApprovalRow[] = []): RunDetail {
  return { run: runRow(run), steps, approvals, artifacts: [] };
}
