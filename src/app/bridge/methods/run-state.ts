import { stepsOfTree } from '../../../engine/children/tree.ts';
import { TabloomError } from '../../../model/errors.ts';
import type { Json } from '../../../model/json.ts';
import { type ApprovalRow, FINAL_RUN, type RunRow, type RunStatus } from '../../../model/run.ts';
import type { App } from '../../app.ts';

/** Longest output that goes inline, characters of JSON; the rest is had as a resource. */
const OUTPUT_MOST = 20_000;

/** A run as an MCP client sees it. */
export interface RunState {
  runId: string;
  workflowId: string;
  workflow: string;
  status: RunStatus;
  ended: boolean;
  createdAt: number;
  endedAt?: number;
  /** Name of the step that is at work or waited for. */
  at?: string;
  steps: { done: number; failed: number; all: number };
  output?: Json;
  /** The output is longer than goes here; it is at this address. */
  outputAt?: string;
  error?: { code: string; message: string; step?: string };
  /** What a person is asked, and where the answer is given. */
  waiting?: { kind: string; title: string; where: string }[];
  artifacts: { uri: string; name: string; mediaType: string; size: number }[];
}

const WHERE = 'Decide in the browser: the Tabloom popup or side panel shows it.';

/** @throws TabloomError `run_missing` */
export async function runState(app: App, id: string): Promise<RunState> {
  const run = await app.store.run(id);
  if (!run) throw new TabloomError('run_missing', `Look at runs_list: there is no run ${id}.`);
  const [steps, approvals, artifacts] = await Promise.all([
    stepsOfTree(app.store, id),
    app.store.approvals({ runId: id, status: 'pending' }),
    app.store.artifacts(id),
  ]);
  const ended = FINAL_RUN.includes(run.status);
  const waiting = ended ? [] : waitsOf(run, approvals);
  return {
    runId: run.runId,
    workflowId: run.workflowId,
    workflow: run.workflowName,
    status: run.status,
    ended,
    createdAt: run.createdAt,
    ...(run.endedAt === undefined ? {} : { endedAt: run.endedAt }),
    ...(run.current === undefined || ended ? {} : { at: run.current }),
    steps: {
      done: steps.filter(({ status }) => status === 'completed').length,
      failed: steps.filter(({ status }) => status === 'failed').length,
      all: steps.length,
    },
    ...(ended ? await outputOf(app, run) : {}),
    ...(run.error ? { error: errorOf(run.error) } : {}),
    ...(waiting.length > 0 ? { waiting } : {}),
    artifacts: artifacts.map(({ artifactId, name, mediaType, size }) => ({
      uri: `artifact://${artifactId}`,
      name,
      mediaType,
      size,
    })),
  };
}

function waitsOf(run: RunRow, approvals: ApprovalRow[]): { kind: string; title: string; where: string }[] {
  const asked = approvals.map(({ title }) => ({ kind: 'approval', title, where: WHERE }));
  const others = run.waitingFor.filter((kind) => !['approval', 'timer', 'signal', 'page', 'child'].includes(kind));
  return [...asked, ...others.map((kind) => ({ kind, title: run.workflowName, where: WHERE }))];
}

async function outputOf(app: App, run: RunRow): Promise<Pick<RunState, 'output' | 'outputAt'>> {
  const outputAt = `run://${run.runId}/output`;
  if (run.outputRef && run.outputRef.size > OUTPUT_MOST) return { outputAt };
  const kept = run.outputRef ? await app.store.blob(run.outputRef.hash) : undefined;
  const output = kept === undefined ? run.output : (JSON.parse(kept) as Json);
  if (output === undefined) return {};
  return JSON.stringify(output).length > OUTPUT_MOST ? { outputAt } : { output };
}

function errorOf({ code, message, step }: { code: string; message: string; step?: string }) {
  return { code, message, ...(step === undefined ? {} : { step }) };
}
