import type { Command } from '../../../model/commands.ts';
import { TabloomError } from '../../../model/errors.ts';
import type { RunRow, RunStatus } from '../../../model/run.ts';
import { z } from '../../../model/zod.ts';
import { CLIENT_SESSION } from '../../../steps/client-session.ts';
import type { App } from '../../app.ts';
import { startRun } from '../../handlers/runs.ts';
import { nextChange } from '../next-change.ts';
import { method, runId } from './define.ts';
import { runState } from './run-state.ts';

const STATUS = z.enum(['queued', 'running', 'waiting', 'paused', 'completed', 'failed', 'partial', 'cancelled']);
const LIST_MOST = 100;

/** Starts a workflow that is exposed as a tool. The call's key is the run's: the same call again is the same run. */
export const runStart = method(
  z.strictObject({ workflowId: z.string().min(1).max(200), input: z.record(z.string(), z.json()) }),
  async ({ app, params, call }) => {
    const trigger = app.triggers.tools().find(({ workflow }) => workflow.workflowId === params.workflowId)?.trigger;
    if (!trigger)
      throw new TabloomError(
        'workflow_missing',
        `Look at the tools again: no workflow ${params.workflowId} is exposed as a tool.`,
      );
    const by = { type: 'mcp', id: trigger.id, client: call.caller.name };
    const begun = await startRun(app, { ...params, key: `mcp:${call.key}` }, by);
    if ('refused' in begun) {
      const { code, message, problems } = begun.refused;
      throw new TabloomError(code, message, { details: JSON.parse(JSON.stringify({ problems })) });
    }
    return begun;
  },
);

/** A run as a client sees it. With `waitMs` it waits so long for the run to end, or to need a person. */
export const runGet = method(
  z.strictObject({ runId, waitMs: z.int().min(0).max(50_000).default(0) }),
  async ({ app, params, call }) => {
    const until = app.clock.now() + params.waitMs;
    for (;;) {
      // Listened for before it is looked: what changes in between would be waited for in vain.
      const change = nextChange(
        { clock: app.clock, changes: app.updates },
        params.runId,
        Math.max(until - app.clock.now(), 0),
        call.signal,
      );
      const state = await runState(app, params.runId);
      if (state.ended || app.clock.now() >= until || call.signal.aborted) {
        change.stop();
        return state;
      }
      call.progress({ status: state.status, ...(state.at === undefined ? {} : { at: state.at }) });
      await change.happened;
    }
  },
);

export const runsList = method(
  z.strictObject({
    status: z.array(STATUS).optional(),
    workflowId: z.string().min(1).max(200).optional(),
    limit: z.int().min(1).max(LIST_MOST).default(20),
    before: z.number().optional(),
  }),
  async ({ app, params }) => {
    const { status, workflowId, limit, before } = params;
    const rows = await app.store.runs({
      outermost: true,
      limit,
      ...(status ? { status: status as RunStatus[] } : {}),
      ...(workflowId ? { workflowId } : {}),
      ...(before === undefined ? {} : { before }),
    });
    return { runs: rows.map(brief), ...(rows.length === limit ? { before: rows.at(-1)?.createdAt } : {}) };
  },
);

export const runCancel = method(
  z.strictObject({ runId, reason: z.string().max(1000).optional() }),
  ({ app, params, call }) =>
    command(app, call, {
      type: 'cancel',
      runId: params.runId,
      ...(params.reason === undefined ? {} : { reason: params.reason }),
    }),
);

export const runSignal = method(
  z.strictObject({ runId, name: z.string().min(1).max(200), payload: z.json().optional() }),
  async ({ app, params, call }) => {
    if ((await app.store.run(params.runId))?.workflowId === CLIENT_SESSION)
      throw new TabloomError(
        'bad_request',
        'Call a browser tool instead: this run is what a client does in the browser.',
      );
    return command(app, call, {
      type: 'signal',
      runId: params.runId,
      name: params.name,
      ...(params.payload === undefined ? {} : { payload: params.payload }),
    });
  },
);

/** Sends a command under the call's key, so that the same call again is the same command. @throws TabloomError as the engine refuses it */
export async function command(
  app: App,
  call: { key: string; caller: { name: string } },
  wanted: Command,
  roles: string[] = [],
): Promise<{ done: true }> {
  const result = await app.engine.send({
    commandId: `mcp:${call.key}`,
    at: app.clock.now(),
    by: `client:${call.caller.name}`,
    roles,
    surface: 'mcp',
    command: wanted,
  });
  if (result.ok) return { done: true };
  throw new TabloomError(result.code, result.message);
}

function brief(run: RunRow) {
  const { runId: id, workflowId, workflowName, status, createdAt, endedAt, error } = run;
  return {
    runId: id,
    workflowId,
    workflow: workflowName,
    status,
    createdAt,
    ...(endedAt === undefined ? {} : { endedAt }),
    ...(error ? { error: { code: error.code, message: error.message } } : {}),
  };
}
