import { TabloomError } from '../../../model/errors.ts';
import { z } from '../../../model/zod.ts';
import { method, runId } from './define.ts';
import { runState } from './run-state.ts';

/** Bytes of an artifact that go in one message, as base64. */
const ARTIFACT_MOST = 5 * 1024 * 1024;

export const artifactGet = method(
  z.strictObject({ artifactId: z.string().min(1).max(200) }),
  async ({ app, params }) => {
    const found = await app.store.artifact(params.artifactId);
    if (!found) throw new TabloomError('artifact_missing', `There is no artifact ${params.artifactId}.`);
    const { name, mediaType, size } = found.row;
    if (size > ARTIFACT_MOST)
      throw new TabloomError(
        'output_too_large',
        `Open ${name} in the browser: it has ${size} bytes, ${ARTIFACT_MOST} can be sent.`,
      );
    let binary = '';
    for (const byte of found.bytes) binary += String.fromCharCode(byte);
    return { name, mediaType, base64: btoa(binary) };
  },
);

/** The whole output of a run that has ended. */
export const runOutput = method(z.strictObject({ runId }), async ({ app, params }) => {
  await runState(app, params.runId);
  const run = await app.store.run(params.runId);
  const kept = run?.outputRef ? await app.store.blob(run.outputRef.hash) : undefined;
  return kept === undefined ? (run?.output ?? null) : JSON.parse(kept);
});

/** The whole output of a step of a run. */
export const stepOutput = method(
  z.strictObject({ runId, path: z.string().min(1).max(1000) }),
  async ({ app, params }) => {
    const row = await app.store.step(params.runId, params.path);
    if (!row)
      throw new TabloomError(
        'run_missing',
        `Look at runs_list: there is no step ${params.path} of run ${params.runId}.`,
      );
    const kept = row.outputRef ? await app.store.blob(row.outputRef.hash) : undefined;
    return kept === undefined ? (row.output ?? null) : JSON.parse(kept);
  },
);

/** Newest runs that are offered. */
const RUNS_OFFERED = 20;

/** What a client may read by address now: workflows that are tools, the newest runs, the tabs of its own session. */
export const resourcesList = method(z.strictObject({}), async ({ app, call }) => {
  const [runs, own] = await Promise.all([
    app.store.runs({ outermost: true, limit: RUNS_OFFERED }),
    app.clients.current(call.caller.session),
  ]);
  return {
    workflows: app.triggers.tools().map(({ workflow: { workflowId, name } }) => ({ workflowId, name })),
    runs: runs.map(({ runId: id, workflowName, status }) => ({ runId: id, workflow: workflowName, status })),
    tabs: (own?.tabs?.list ?? []).filter(({ closed }) => !closed).map(({ tab, title, url }) => ({ tab, title, url })),
  };
});
