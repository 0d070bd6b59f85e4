import type { RunDetail, SurfaceState, WorkflowSummary } from '../../src/app/protocol.ts';
import type { Json } from '../../src/model/json.ts';
import type { ApprovalRow, CoveredAct, RunRow, StepRunRow } from '../../src/model/run.ts';
import { stepRow } from './rows.ts';

/** Rows for screens. Times are counted from the moment the test starts, since cards show distances from now. */
export const START = Date.now();
const MINUTE = 60_000;
export const HASH = '3fa9c1d07be24488a15f0c9d2b6e7f10aa41c3d95e0b7762f8c4d1e09ab35f67';

export const EMPTY: SurfaceState = {
  stopped: false,
  approvals: [],
  live: [],
  history: [],
  workflows: [],
  forTab: [],
  waiting: [],
  model: { configured: false, label: '' },
  now: START,
};

export function act(over: Partial<CoveredAct> = {}): CoveredAct {
  return {
    path: 'submit',
    stepId: 'submit',
    name: 'Submit',
    type: 'browser_action',
    action: 'click',
    origin: 'https://expenses.example.com',
    tab: 't1',
    arguments: { target: { role: 'button', name: 'Submit report' } },
    ...over,
  };
}

export const LINES = [
  { line: 'Train Berlin – Hamburg', amount: 89.9, category: 'travel', billable: true },
  { line: 'Hotel, two nights', amount: 238, category: 'lodging', billable: true },
  { line: 'Team dinner', amount: 164.25, category: 'food', billable: false },
];

export function approval(over: Partial<ApprovalRow> = {}): ApprovalRow {
  return {
    approvalId: 'ap-1',
    gate: 'gate',
    runId: 'run-7f3a91c2',
    path: 'gate',
    workflowId: 'weekly-expenses',
    workflowName: 'Weekly expenses',
    revision: 'b81e4c02f7aa4f0e9d3c',
    title: 'Submit the expense report, total 492.15 €',
    message: 'Three lines passed the policy check. One is not billable.',
    risk: 'irreversible',
    requiredRole: 'owner',
    show: { total: 492.15, currency: 'EUR', lines: LINES },
    covers: [
      act({
        path: 'note',
        stepId: 'note',
        name: 'Note',
        action: 'fill',
        arguments: { target: { label: 'Comment' }, value: 'Week 48, checked against the policy.' },
      }),
      act(),
    ],
    hash: HASH,
    createdAt: START - 2 * MINUTE,
    expiresAt: START + 23.5 * 60 * MINUTE,
    status: 'pending',
    ...over,
  };
}

export const EDITABLE = {
  type: 'object',
  properties: {
    total: { type: 'number' },
    lines: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          line: { type: 'string' },
          amount: { type: 'number', minimum: 0 },
          category: { enum: ['travel', 'lodging', 'food'] },
          billable: { type: 'boolean' },
        },
      },
    },
  },
};

/** Forty items with two acts each. */
export const MANY_ACTS: CoveredAct[] = Array.from({ length: 40 }, (_, i) => [
  act({
    path: `each[${i}]/amount`,
    action: 'fill',
    arguments: { target: { label: `Amount ${i + 1}` }, value: String(10 + i) },
  }),
  act({ path: `each[${i}]/save`, arguments: { target: { role: 'button', name: 'Save line' } } }),
]).flat();

export function runRow(over: Partial<RunRow> = {}): RunRow {
  return {
    runId: 'run-7f3a91c2',
    workflowId: 'weekly-expenses',
    workflowName: 'Weekly expenses',
    revision: 'b81e4c02f7aa4f0e9d3c',
    status: 'waiting',
    waitingFor: ['approval'],
    input: { url: 'https://expenses.example.com/list' },
    trigger: { type: 'manual' },
    inputHash: HASH,
    createdAt: START - 4 * MINUTE,
    startedAt: START - 4 * MINUTE,
    activeMs: 21_000,
    seq: 31,
    head: HASH,
    usage: { inputTokens: 5210, outputTokens: 830, usd: 0.0213 },
    current: 'gate',
    ...over,
  };
}

export function step(path: string, over: Partial<StepRunRow> = {}): StepRunRow {
  return stepRow(path, {
    runId: 'run-7f3a91c2',
    type: 'browser_action',
    attempts: [{ number: 1, startedAt: START - 3 * MINUTE, endedAt: START - 3 * MINUTE + 1400 }],
    startedAt: START - 3 * MINUTE,
    endedAt: START - 3 * MINUTE + 1400,
    ...over,
  });
}

const over: Json[] = LINES.concat(LINES)
  .concat(LINES)
  .map((line) => line);

export const STEPS: StepRunRow[] = [
  step('read', {
    name: 'Read the table',
    order: 1,
    output: { columns: ['line', 'amount'], rows: LINES, pages: 1 },
    input: { target: { role: 'table', name: 'Open lines' }, as: 'table' },
  }),
  step('each', {
    name: 'Grade each line',
    type: 'loop',
    order: 2,
    status: 'running',
    endedAt: undefined,
    input: { over },
  }),
  ...[0, 1, 2].map((i) =>
    step(`each[${i}]/grade`, {
      name: 'Grade',
      type: 'recipe',
      order: 3 + i,
      status: i === 2 ? 'running' : 'completed',
      endedAt: i === 2 ? undefined : START - 2 * MINUTE,
      attempt: i === 1 ? 2 : 1,
      output: i === 2 ? undefined : { score: 0.9, reason: 'Within the limits of the policy.' },
      input: { line: LINES[i] as Json },
      usage: { inputTokens: 410, outputTokens: 52, usd: 0.0011 },
      attempts: [
        ...(i === 1
          ? [
              {
                number: 1,
                startedAt: START - 3 * MINUTE,
                endedAt: START - 3 * MINUTE + 900,
                error: {
                  code: 'rate_limited',
                  message: 'The provider asks to wait 5 s; the step is tried again by itself.',
                },
                delayMs: 5000,
              },
            ]
          : []),
        {
          number: i === 1 ? 2 : 1,
          startedAt: START - 2 * MINUTE,
          endedAt: i === 2 ? undefined : START - 2 * MINUTE + 2100,
          meta: {
            model: 'openai:gpt-5-mini',
            system: 'You check expenses against a policy.',
            prompt: 'Grade this line: Train Berlin – Hamburg, 89.90 €',
            reply: '{"score":0.9}',
          },
        },
      ],
    }),
  ),
  step('gate', {
    name: 'Ask before submitting',
    type: 'approval',
    effect: 'none',
    order: 9,
    status: 'waiting',
    endedAt: undefined,
    attempts: [],
    wait: {
      kind: 'approval',
      since: START - 2 * MINUTE,
      subject: 'ap-1',
      reason: 'waiting for approval of Submit the expense report',
    },
  }),
];

export function detail(over: Partial<RunDetail> = {}): RunDetail {
  return {
    run: runRow(),
    steps: STEPS,
    approvals: [approval()],
    artifacts: [
      {
        artifactId: 'a-1',
        runId: 'run-7f3a91c2',
        path: 'read',
        name: 'expenses.csv',
        mediaType: 'text/csv',
        size: 18_432,
        sha256: HASH,
        createdAt: START,
      },
    ],
    ...over,
  };
}

export function workflow(id: string, over: Partial<WorkflowSummary> = {}): WorkflowSummary {
  return {
    workflowId: id,
    name: id.charAt(0).toUpperCase() + id.slice(1).replace(/-/g, ' '),
    enabled: true,
    revision: 'b81e4c02f7aa4f0e9d3c',
    sites: ['https://expenses.example.com/*'],
    inputs: { type: 'object', properties: {} },
    updatedAt: START - 90 * MINUTE,
    problems: 0,
    ...over,
  };
}

export const FORM_INPUTS = {
  type: 'object',
  required: ['url'],
  properties: {
    url: { type: 'string', format: 'uri', title: 'Page of the list' },
    limit: { type: 'integer', minimum: 1, maximum: 50, default: 10, description: 'At most this many lines.' },
    mode: { enum: ['quick', 'thorough'], default: 'quick' },
    dryRun: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    extra: { type: 'object' },
  },
};

/** A busy moment: everything that the popup can show. */
export const BUSY: SurfaceState = {
  ...EMPTY,
  approvals: [
    approval(),
    approval({
      approvalId: 'ap-2',
      runId: 'run-22',
      title: 'Send the reminder to Ms Okafor',
      workflowName: 'Late invoices',
      risk: 'message',
    }),
    approval({ approvalId: 'ap-3', runId: 'run-23', title: 'Delete 3 old drafts', workflowName: 'Tidy up' }),
  ],
  live: [
    runRow(),
    runRow({
      runId: 'run-22',
      workflowName: 'Late invoices',
      status: 'running',
      current: 'each[3]/grade',
      startedAt: START - 74_000,
    }),
  ],
  history: [
    runRow({
      runId: 'run-h1',
      status: 'completed',
      endedAt: START - 60 * MINUTE,
      startedAt: START - 63 * MINUTE,
      current: undefined,
    }),
    runRow({
      runId: 'run-h2',
      workflowName: 'Late invoices',
      status: 'failed',
      endedAt: START - 26 * 60 * MINUTE,
      startedAt: START - 26 * 60 * MINUTE - 12_000,
      error: {
        code: 'element_not_found',
        message: 'No button “Send” is on the page; check the target of the step.',
        step: 'send',
      },
    }),
    runRow({
      runId: 'run-h3',
      workflowName: 'Tidy up',
      status: 'partial',
      endedAt: START - 50 * 60 * MINUTE,
      usage: { inputTokens: 0, outputTokens: 0 },
    }),
  ],
  workflows: [
    workflow('weekly-expenses', {
      lastRunAt: START - 4 * MINUTE,
      description: 'Reads the expense table, grades each line, asks before submitting.',
      inputs: FORM_INPUTS,
    }),
    workflow('late-invoices', { lastRunAt: START - 26 * 60 * MINUTE }),
    workflow('tidy-up'),
    workflow('price-watch'),
    workflow('draft-idea', { enabled: false, problems: 2 }),
  ],
  forTab: ['weekly-expenses'],
  waiting: [
    {
      runId: 'run-31',
      path: 'pay',
      name: 'Pay the invoice',
      kind: 'recovery',
      reason: 'The browser stopped after the click and before its result.',
      cause: 'interrupted',
      act: {
        path: 'pay',
        stepId: 'pay',
        name: 'Pay the invoice',
        type: 'browser_action',
        action: 'click',
        arguments: { target: { role: 'button', name: 'Pay 1,240.50 EUR' }, button: 'left', count: 1, modifiers: [] },
        tab: 't1',
        origin: 'https://shop.example',
      },
      page: { url: 'https://shop.example/invoices/2026-0117?step=confirm', title: 'Invoice 2026-0117' },
    },
    {
      runId: 'run-32',
      path: 'open',
      name: 'Open the list',
      kind: 'permission',
      reason: 'Access to the site was taken away.',
      subject: 'https://shop.example',
    },
  ],
  model: { configured: true, label: 'openai:gpt-5-mini' },
};
