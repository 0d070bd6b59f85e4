import { TabloomError } from '../../model/errors.ts';
import { isObject, type Json } from '../../model/json.ts';
import { FINAL_RUN, FINAL_STEP, type StepRunRow } from '../../model/run.ts';
import type { Store } from '../../ports/store.ts';
import type { SessionCall } from '../../steps/client-session.ts';

/** Longest output that goes inline, characters of JSON; the rest is had as a resource. */
const OUTPUT_MOST = 24_000;
/** What is shown of one that is longer. */
const EXCERPT = 2000;

/** How a call of a client stands. */
export interface CallState {
  /** Key of the call: what it is asked for again by. */
  call: string;
  tool: string;
  runId: string;
  ended: boolean;
  status: string;
  output?: Json;
  /** The output is longer than goes here: it is at this address, and begins like this. */
  outputAt?: string;
  excerpt?: string;
  /** Kind of what it waits for: `approval`, `permission`. */
  waiting?: string;
}

/** Address of the whole output of a step. */
export function stepUri(runId: string, path: string): string {
  return `run://${runId}/step/${encodeURIComponent(path)}`;
}

/**
 * @param path where the call is in the run; absent: the run has not come to it yet
 * @throws TabloomError with the error that it failed with; `outcome_unknown` where it may or may not have been done; `cancelled`
 */
export async function callState(
  store: Pick<Store, 'step' | 'run' | 'blob'>,
  runId: string,
  path: string | undefined,
  { key, tool }: SessionCall,
): Promise<CallState> {
  // The row first: a run that has ended by then has written all its rows before.
  const run = await store.run(runId);
  const row = path === undefined ? undefined : await store.step(runId, path);
  if (row?.status === 'failed') throw failure(row, tool);
  const over = !run || FINAL_RUN.includes(run.status);
  if (row?.status === 'cancelled' || row?.status === 'skipped' || (over && !(row && FINAL_STEP.includes(row.status)))) {
    if (row?.effect === 'once' && row.attempt > 0) throw unknown(tool);
    throw new TabloomError('cancelled', 'Ask the person before you go on: this session was cancelled.');
  }
  const status = row?.status ?? 'pending';
  const base = { call: key, tool, runId, status };
  if (row?.status !== 'completed') {
    const waiting = row?.wait?.kind;
    return { ...base, ended: false, ...(waiting === undefined ? {} : { waiting }) };
  }
  const kept = row.outputRef ? await store.blob(row.outputRef.hash) : undefined;
  const text = kept ?? JSON.stringify(row.output ?? null);
  if (text.length > OUTPUT_MOST)
    return { ...base, ended: true, outputAt: stepUri(runId, row.path), excerpt: excerptOf(text) };
  return { ...base, ended: true, output: JSON.parse(text) as Json };
}

/** The beginning of what the output says, as far as it is one text; else of its JSON. */
function excerptOf(text: string): string {
  const output = JSON.parse(text) as Json;
  const said = isObject(output) && typeof output.text === 'string' ? output.text : text;
  return said.slice(0, EXCERPT);
}

function failure({ error }: StepRunRow, tool: string): TabloomError {
  const { code = 'internal', message = 'It failed.' } = error ?? {};
  if (code === 'interrupted') return unknown(tool);
  if (code === 'approval_rejected')
    return new TabloomError(code, `Do something else: a person has turned ${tool} down.`);
  if (code === 'approval_expired')
    return new TabloomError(code, `Nobody has decided on ${tool} in time; nothing was done.`);
  return new TabloomError(code, message);
}

function unknown(tool: string): TabloomError {
  return new TabloomError(
    'outcome_unknown',
    `Look at the page before you repeat this: ${tool} was begun, and whether it was carried out is not known.`,
  );
}
