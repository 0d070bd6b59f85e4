import type { InboxCommand } from '../../src/model/commands.ts';
import type { JournalEvent } from '../../src/model/events.ts';
import { eventHash, GENESIS } from '../../src/model/events.ts';
import type { Json } from '../../src/model/json.ts';
import type { EntryDefinition, EntryKind, EntryRevision, EntryRow } from '../../src/model/library.ts';
import type { OutboxRow } from '../../src/model/outbox.ts';
import type { StandingRule } from '../../src/model/rules.ts';
import type { ApprovalRow, ArtifactRow, RunRow, StepRunRow } from '../../src/model/run.ts';
import type { Revision } from '../../src/model/workflow.ts';
import type { Commit, WorkflowRow } from '../../src/ports/index.ts';

/** Rows for contract cases: complete, with what matters to a case given in `more`. */

export function run(runId: string, more: Partial<RunRow> = {}): RunRow {
  return {
    runId,
    workflowId: 'expenses',
    workflowName: 'Expenses',
    revision: 'a'.repeat(64),
    status: 'running',
    waitingFor: [],
    input: { url: 'https://example.com/' },
    trigger: { type: 'manual' },
    inputHash: 'b'.repeat(64),
    createdAt: 1000,
    activeMs: 0,
    seq: 0,
    head: GENESIS,
    usage: { inputTokens: 0, outputTokens: 0 },
    ...more,
  };
}

export function event(runId: string, seq: number, data: { [key: string]: Json } = {}): JournalEvent {
  const body = { runId, seq, at: 1000 + seq, type: 'step_completed', path: 'read', data, prev: GENESIS };
  return { ...body, hash: eventHash(body) };
}

export function step(runId: string, path: string, order: number, more: Partial<StepRunRow> = {}): StepRunRow {
  return {
    runId,
    path,
    stepId: path,
    type: 'deterministic_command',
    name: path,
    status: 'completed',
    effect: 'pure',
    attempt: 1,
    attempts: [{ number: 1, startedAt: 1000, endedAt: 1001 }],
    order,
    ...more,
  };
}

export function approval(approvalId: string, runId: string, more: Partial<ApprovalRow> = {}): ApprovalRow {
  return {
    approvalId,
    gate: 'gate',
    runId,
    path: 'gate',
    workflowId: 'expenses',
    workflowName: 'Expenses',
    revision: 'a'.repeat(64),
    title: 'Send it?',
    message: '',
    risk: 'reversible',
    requiredRole: 'owner',
    show: { total: 3 },
    covers: [],
    hash: 'c'.repeat(64),
    createdAt: 1000,
    expiresAt: 2000,
    status: 'pending',
    ...more,
  };
}

export function artifact(artifactId: string, runId: string, content: Uint8Array, more: Partial<ArtifactRow> = {}) {
  const row: ArtifactRow = {
    artifactId,
    runId,
    path: 'keep',
    name: 'report.bin',
    mediaType: 'application/octet-stream',
    size: content.length,
    sha256: `sha-${artifactId}`,
    createdAt: 1000,
    ...more,
  };
  return { row, bytes: content };
}

export function command(commandId: string, runId: string, more: Partial<InboxCommand> = {}): InboxCommand {
  return {
    commandId,
    at: 1000,
    by: 'person',
    roles: ['owner'],
    surface: 'app',
    command: { type: 'pause', runId },
    ...more,
  };
}

export function commit(runId: string, more: Partial<Commit> = {}): Commit {
  const base = { events: [], steps: [], approvals: [], artifacts: [], blobs: [], inbox: [], strict: false };
  return { runId, run: run(runId), ...base, ...more };
}

export function workflow(workflowId: string, revision: string, more: Partial<WorkflowRow> = {}): WorkflowRow {
  return { workflowId, name: workflowId, revision, enabled: true, createdAt: 1000, updatedAt: 1000, ...more };
}

export function revision(workflowId: string, hash: string, more: Partial<Revision> = {}): Revision {
  return {
    workflowId,
    revision: hash,
    definition: { format: 'tabloom/v1', id: workflowId, name: workflowId, steps: [] },
    source: '# kept\nformat: tabloom/v1\n',
    createdAt: 1000,
    ...more,
  };
}

export function rule(ruleId: string, more: Partial<StandingRule> = {}): StandingRule {
  return {
    ruleId,
    workflowId: 'expenses',
    workflowName: 'Expenses',
    stepId: 'gate',
    stepName: 'Save it?',
    scope: 'd'.repeat(64),
    acts: [{ stepId: 'save', name: 'Save', type: 'browser_action', action: 'click', origins: ['https://example.com'] }],
    requiredRole: 'owner',
    by: 'person',
    createdAt: 1000,
    expiresAt: 9000,
    ...more,
  };
}

export function told(outboxId: string, runId: string, more: Partial<OutboxRow> = {}): OutboxRow {
  return {
    outboxId,
    kind: 'notification',
    runId,
    path: 'tell',
    workflowId: 'expenses',
    workflowName: 'Expenses',
    stepName: 'Tell me',
    title: 'Done',
    message: 'All is sent',
    severity: 'info',
    createdAt: 1000,
    ...more,
  };
}

export function entry(
  kind: EntryKind,
  id: string,
  hash: string,
  createdAt: number,
): { row: EntryRow; kept: EntryRevision } {
  const head = { format: 'tabloom/v1' as const, name: id };
  const definition: EntryDefinition =
    kind === 'recipe' ? { ...head, recipe: id, prompt: 'Do' } : { ...head, agent: id, instructions: 'Do' };
  return {
    row: { kind, id, name: id, revision: hash, createdAt, updatedAt: createdAt },
    kept: { kind, id, revision: hash, definition, source: '# kept', createdAt },
  };
}
