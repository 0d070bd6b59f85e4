import type { StepType } from '../engine/step-type.ts';
import { sha256Hex } from '../model/canonical.ts';
import { type OutboxRow, SEVERITIES, type Severity } from '../model/outbox.ts';
import { z } from '../model/zod.ts';
import { objectOf, TEXT } from './output-schema.ts';

/** Tells a person something. It commits with its step and is brought to them afterwards: exactly once, and nothing waits for it. */
export const notification: StepType = {
  type: 'notification',
  title: 'Notification',
  summary: 'Tells you something while the run goes on.',
  keys: {
    title: z.string().min(1),
    message: z.string().optional(),
    severity: z.enum(SEVERITIES).optional(),
    dedupeKey: z.string().min(1).optional(),
    to: z.string().min(1).optional(),
  },
  effect: () => 'none',
  works: false,
  templated: ['title', 'message', 'dedupeKey', 'to'],
  output: () => objectOf({ notificationId: TEXT }),
  compute(fields, { runId, path, step, workflow, at }) {
    const dedupeKey = fields.dedupeKey === undefined ? undefined : String(fields.dedupeKey);
    const what = dedupeKey === undefined ? ['run', runId, path] : ['key', workflow.id, dedupeKey];
    const row: OutboxRow = {
      outboxId: `n-${sha256Hex(JSON.stringify(what)).slice(0, 24)}`,
      kind: 'notification',
      runId,
      path,
      workflowId: workflow.id,
      workflowName: workflow.name,
      stepName: step.name ?? step.id,
      title: String(fields.title),
      message: fields.message === undefined ? '' : String(fields.message),
      severity: (step.severity as Severity | undefined) ?? 'info',
      ...(fields.to === undefined ? {} : { to: String(fields.to) }),
      ...(dedupeKey === undefined ? {} : { dedupeKey }),
      createdAt: at,
    };
    return { output: { notificationId: row.outboxId }, outbox: [row] };
  },
};
