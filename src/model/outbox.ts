export const SEVERITIES = ['info', 'low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Something that a run tells people, written with the step that tells it and brought to them afterwards. */
export interface OutboxRow {
  /** The same for all notifications of a workflow with one `dedupeKey`: the newest text stands, and people are called once. */
  outboxId: string;
  kind: 'notification' | 'handoff';
  runId: string;
  path: string;
  workflowId: string;
  workflowName: string;
  stepName: string;
  /** Of a notification. */
  title?: string;
  message: string;
  severity: Severity;
  /** A person or group; of a handoff always a group. */
  to?: string;
  dedupeKey?: string;
  createdAt: number;
}

/** As listed: with when people were called, epoch milliseconds. */
export type OutboxEntry = OutboxRow & { sentAt?: number };
