import type { JsonObject } from '../../../model/json.ts';
import { z } from '../../../model/zod.ts';
import { READS, type ToolContext, tool } from './define.ts';

/** A call may wait so long in all before it answers with a handle: clients give up after a minute. Milliseconds. */
export const CALL_MOST = 45_000;

/** What always is there; the rest (`output`, `error`, `waiting`, `artifacts`, `outputAt`, `next`, `browser`) says itself what it is. */
export const RUN_SCHEMA: JsonObject = {
  type: 'object',
  properties: { runId: { type: 'string' }, status: { type: 'string' }, ended: { type: 'boolean' } },
  required: ['runId', 'ended'],
};

const runId = z.string();

/** Asks for a run, and says what to do when it has not ended. */
export async function waitForRun(id: string, waitMs: number, context: ToolContext): Promise<JsonObject> {
  const { session, signal, browser: named, progress } = context;
  const { value, browser } = await session.ask(
    'run.get',
    { runId: id, waitMs },
    {
      browser: named,
      signal,
      progress: (state) => {
        const { status, at } = state as { status?: string; at?: string };
        progress(at ? `${status}: ${at}` : String(status));
      },
    },
  );
  const state = value as JsonObject;
  if (state.ended === true) return { ...state, browser: browser.label };
  const waits = Array.isArray(state.waiting) && state.waiting.length > 0;
  const next = waits
    ? `It waits for a person. Tell them to decide in the browser, then call run_get with runId ${id} and waitMs.`
    : `It goes on. Call run_get with runId ${id} and waitMs to wait for its end.`;
  return { ...state, next, browser: browser.label };
}

export const runGet = tool({
  name: 'run_get',
  description: 'State, output and artifacts of a run; waitMs waits for its end.',
  args: z.object({ runId, waitMs: z.int().min(0).max(CALL_MOST).default(0) }),
  outputSchema: RUN_SCHEMA,
  annotations: READS,
  run: ({ runId: id, waitMs }, context) => waitForRun(id, waitMs, context),
});

export const runsList = tool({
  name: 'runs_list',
  description: 'Runs, newest first.',
  args: z.object({
    // Which there are is checked where they are known.
    status: z.array(z.string()).optional(),
    workflowId: z.string().optional(),
    limit: z.int().min(1).max(100).default(20),
    before: z.number().optional(),
  }),
  outputSchema: {
    type: 'object',
    properties: { runs: { type: 'array', items: { type: 'object' } }, before: { type: 'number' } },
    required: ['runs'],
  },
  annotations: READS,
  async run(args, { session, signal, browser }) {
    return (await session.ask('runs.list', { ...args }, { browser, signal })).value;
  },
});

export const runCancel = tool({
  name: 'run_cancel',
  description: 'Cancels a run. What it has done already stays done.',
  args: z.object({ runId, reason: z.string().max(1000).optional() }),
  outputSchema: RUN_SCHEMA,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async run(args, context) {
    await context.session.ask('run.cancel', { ...args }, { browser: context.browser, signal: context.signal });
    return waitForRun(args.runId, 5000, context);
  },
});

export const runSignal = tool({
  name: 'run_signal',
  description: 'Gives a run the signal that one of its steps waits for.',
  args: z.object({ runId, name: z.string().min(1).max(200), payload: z.json().optional() }),
  outputSchema: RUN_SCHEMA,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  async run(args, context) {
    await context.session.ask('run.signal', { ...args }, { browser: context.browser, signal: context.signal });
    return waitForRun(args.runId, 0, context);
  },
});

export const approvalsList = tool({
  name: 'approvals_list',
  description: 'What people are asked now. Only a person can decide, in the browser.',
  args: z.object({ runId: z.string().optional() }),
  outputSchema: {
    type: 'object',
    properties: { approvals: { type: 'array', items: { type: 'object' } } },
    required: ['approvals'],
  },
  annotations: READS,
  async run(args, { session, signal, browser }) {
    return (await session.ask('approvals.list', { ...args }, { browser, signal })).value;
  },
});
