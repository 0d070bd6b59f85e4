import type { ApprovalRow, RunRow, StepRunRow } from '../../src/model/run.ts';

/** Rows as the store keeps them, each a plain one with what a test changes. */
export function runRow(more: Partial<RunRow> = {}): RunRow {
  return {
    runId: 'run-1',
    workflowId: 'demo',
    workflowName: 'Demo',
    revision: 'a'.repeat(64),
    status: 'running',
    waitingFor: [],
    input: {},
    trigger: { type: 'manual' },
    inputHash: 'b'.repeat(64),
    createdAt: 1000,
    startedAt: 1000,
    activeMs: 0,
    seq: 1,
    head: 'c'.repeat(64),
    usage: { inputTokens: 0, outputTokens: 0 },
    ...more,
  };
}

export function stepRow(path: string, more: Partial<StepRunRow> = {}): StepRunRow {
  const stepId = path.slice(path.lastIndexOf('/') + 1);
  return {
    runId: 'run-1',
    path,
    stepId,
    type: 'recipe',
    name: stepId,
    status: 'completed',
    effect: 'read',
    attempt: 1,
    attempts: [],
    order: 0,
    ...more,
  };
}

export function approvalRow(more: Partial<ApprovalRow> = {}): ApprovalRow {
  return {
    approvalId: 'ap-1',
    gate: 'gate',
    runId: 'run-1',
    path: 'gate',
    workflowId: 'demo',
    workflowName: 'Demo',
    revision: 'a'.repeat(64),
    title: 'Send it?',
    message: '',
    risk: 'message',
    requiredRole: 'owner',
    covers: [],
    hash: 'd'.repeat(64),
    createdAt: 1000,
    expiresAt: 61_000,
    status: 'pending',
    ...more,
  };
}
