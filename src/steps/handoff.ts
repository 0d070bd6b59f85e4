import type { StepType } from '../engine/step-type.ts';
import { sha256Hex } from '../model/canonical.ts';
import type { OutboxRow } from '../model/outbox.ts';
import { z } from '../model/zod.ts';

/** Hands something on to a group, and goes on. It commits with its step: exactly once. No output. */
export const handoff: StepType = {
  type: 'handoff',
  title: 'Handoff',
  summary: 'Hands something on to a group while the run goes on.',
  keys: { to: z.string().min(1), message: z.string().min(1) },
  effect: () => 'none',
  works: false,
  templated: ['to', 'message'],
  compute(fields, { runId, path, step, workflow, at }) {
    const row: OutboxRow = {
      outboxId: `h-${sha256Hex(JSON.stringify([runId, path])).slice(0, 24)}`,
      kind: 'handoff',
      runId,
      path,
      workflowId: workflow.id,
      workflowName: workflow.name,
      stepName: step.name ?? step.id,
      message: String(fields.message),
      severity: 'medium',
      to: String(fields.to),
      createdAt: at,
    };
    return { output: null, outbox: [row] };
  },
};
