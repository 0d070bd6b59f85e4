import { planAt } from '../../../src/engine/calls/around.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { applyEntry, createState } from '../../../src/engine/fold.ts';
import { deriveRow, readEntries } from '../../../src/engine/journal.ts';
import type { Plan } from '../../../src/engine/plan.ts';
import type { RunState } from '../../../src/engine/state.ts';
import { canonicalJson } from '../../../src/model/canonical.ts';
import { type JournalEvent, verifyChain } from '../../../src/model/events.ts';
import { isObject, type Json } from '../../../src/model/json.ts';
import { FINAL_RUN, FINAL_STEP, type RunRow, type StepRunRow } from '../../../src/model/run.ts';
import type { World } from '../engine.ts';
import { checkReplay, liveState, plainState } from '../replay.ts';
import { broken, type Plans } from './family.ts';
import type { Act } from './outside.ts';

/** What an engine held after each commit, as text, by run and number of its last event. */
export type Snapshots = Map<string, string>;

/** What was looked at last: a run that has not moved since, in the same engine, is as good as it was. */
const looked = new WeakMap<Engine, Map<string, string>>();

/** What must hold of a run whenever nothing moves. */
export async function checkRun({ memory, engine }: World, run: RunRow): Promise<void> {
  const { runId } = run;
  const live = liveState(engine, runId);
  const seen = looked.get(engine) ?? new Map<string, string>();
  looked.set(engine, seen);
  const now = `${run.seq} ${live?.run.seq} ${live?.paused}`;
  if (seen.get(runId) === now) return;
  seen.set(runId, now);
  if (live && live.run.seq === run.seq) await checkReplay(memory, live);
  const rows = await memory.steps(runId);
  const pending = (await memory.approvals({ runId, status: 'pending' })).map(({ path }) => path).sort();
  if (FINAL_RUN.includes(run.status)) {
    const open = rows.filter((row) => !FINAL_STEP.includes(row.status));
    if (open.length > 0)
      broken(`the run is ${run.status}, but ${open.map((row) => `${row.path} is ${row.status}`).join(', ')}`);
    if (pending.length > 0) broken('the run has ended, but an approval is pending');
    return;
  }
  // The store has failed: the run is not in memory, or ahead of what could be written. It comes back by itself.
  if (live && live.run.seq === run.seq) checkStatus(run, live, rows, pending);
}

/** A called run and the step that called it say the same of each other, and none goes on for nobody. */
export function checkInLine({ engine }: World, run: RunRow, all: readonly RunRow[]): void {
  const { parent } = run;
  // What is written, but not known to be, is no news yet.
  if (engine.stuck) return;
  const around = all.find(({ runId }) => runId === parent?.runId);
  const live = liveState(engine, run.runId);
  if (!parent || !around || !live || live.run.seq !== run.seq || FINAL_RUN.includes(run.status) || run.undoing) return;
  if (FINAL_RUN.includes(around.status)) broken(`${run.workflowId} is ${run.status}, and what has called it has ended`);
  const above = liveState(engine, around.runId);
  if (!above || above.run.seq !== around.seq) return;
  const step = above.steps.get(parent.path);
  if (step?.child?.runId !== run.runId || !above.children.has(step))
    broken(`${run.workflowId} is ${run.status}, and ${parent.path} goes on without it`);
  if (above.paused !== live.paused || live.paused) return;
  if (canonicalJson([...step.child.waitingFor].sort()) !== canonicalJson([...run.waitingFor].sort()))
    broken(`${run.workflowId} waits for ${run.waitingFor}, and ${parent.path} for ${step.child.waitingFor}`);
  const active = live.activeSince !== undefined || live.waiting === 0;
  if (step.child.active !== active) broken(`${parent.path} takes ${run.workflowId} for ${active ? 'idle' : 'active'}`);
}

function checkStatus(run: RunRow, live: RunState, rows: StepRunRow[], pending: string[]): void {
  const holds = (row: StepRunRow) => ['condition', 'loop', 'parallel'].includes(row.type);
  // Between two attempts such a step is at work itself.
  const leaves = rows.filter((row) => !holds(row) || live.steps.get(row.path)?.retryAt !== undefined);
  // A step that holds a fallback or a look works no more than what is inside does.
  // So does an agent, but for the time between two attempts.
  const works = (row: StepRunRow) => {
    const step = live.steps.get(row.path);
    return !step?.holding && (row.type !== 'agent' || step?.retryAt !== undefined);
  };
  const working = leaves.filter((row) => row.status === 'running' && works(row));
  const waits = leaves.filter((row) => row.status === 'waiting');
  const kindsOf = (row: StepRunRow) =>
    row.wait ? [row.wait.kind] : (live.steps.get(row.path)?.child?.waitingFor ?? []);
  const kinds = [...new Set(waits.flatMap(kindsOf))].sort();
  if (canonicalJson(kinds) !== canonicalJson([...run.waitingFor].sort()))
    broken(`it says to wait for ${run.waitingFor}, and waits for ${kinds}`);
  const asked = waits
    .filter((row) => row.wait?.kind === 'approval')
    .map((row) => row.path)
    .sort();
  if (canonicalJson(asked) !== canonicalJson(pending)) broken(`approvals pending are not those waited for: ${asked}`);
  if (live.paused) {
    if (run.status !== 'paused') broken(`the run is paused and says ${run.status}`);
    return;
  }
  if (working.length > 0 && run.status !== 'running')
    broken(`${working[0]?.path} works, and the run says ${run.status}`);
  if (working.length === 0 && waits.length === 0)
    broken(`the run says ${run.status}, but nothing works and nothing waits`);
  if (working.length === 0 && run.status !== 'waiting') broken(`nothing works, and the run says ${run.status}`);
}

/** The chain is whole, after every commit the engine held just what the journal folds to, and what was to be undone was undone. */
export async function checkJournal(
  { memory }: World,
  plan: Plan,
  { runId }: RunRow,
  events: JournalEvent[],
  snapshots: Snapshots,
): Promise<void> {
  const fault = verifyChain(events);
  if (fault) broken(`the chain of ${runId} at ${fault.seq}: ${fault.reason}`);
  const [first, ...entries] = await readEntries(memory, events);
  if (!first) return;
  const state: RunState = createState(plan, runId, first);
  for (let seq = 1; seq <= events.length; seq++) {
    const entry = entries[seq - 2];
    if (entry) applyEntry(state, entry);
    const want = snapshots.get(`${runId} ${seq}`);
    if (want === undefined) continue;
    // What an earlier look derived must not cover up what the engine left behind.
    Object.assign(state.run, { current: undefined, nextDue: undefined, waitingFor: [] });
    deriveRow(state, { seq, hash: events[seq - 1]?.hash ?? '' });
    const found = canonicalJson(plainState(state) as Json);
    if (found !== want)
      broken(
        `after event ${seq} (${entry?.type} ${entry?.path ?? ''}) the journal folds to something else\n${firstDifference(want, found)}`,
      );
  }
  const decided = events
    .filter((event) => event.type === 'approval.decided')
    .map((event) => (event.data.approval as { approvalId?: string } | undefined)?.approvalId);
  if (new Set(decided).size !== decided.length) broken('an approval was decided twice');
  checkRollback(plan, events);
  checkCalls(plan, events);
  const ended = events.findLast(({ type }) => type === 'run.ended')?.data.error;
  if (isObject(ended) && String(ended.message).startsWith('Tabloom itself failed')) broken(String(ended.message));
}

/** A call of an agent counts as done only when it has ended so, or as a failure that its model is told of. */
function checkCalls(plan: Plan, events: JournalEvent[]): void {
  for (const [index, { type, path = '', data }] of events.entries()) {
    if (type !== 'list.settled' || data.status !== 'completed' || !planAt(plan, path)?.calls) continue;
    if (typeof data.index !== 'number') continue;
    const call = `${path}[${data.index}]/${data.name}`;
    const last = events.slice(0, index).findLast((event) => event.path === call && event.type !== 'attempt.late');
    if (last?.type !== 'step.completed' && last?.type !== 'step.failed')
      broken(`${call} counts as done, and the last of it is ${last?.type}`);
  }
}

function firstDifference(live: string, folded: string): string {
  let at = 0;
  while (at < live.length && live[at] === folded[at]) at++;
  return `live   …${live.slice(Math.max(0, at - 200), at + 100)}…\nfolded …${folded.slice(Math.max(0, at - 200), at + 100)}…`;
}

/** What completed and can be undone is undone, newest first, unless the rollback was cut short. */
function checkRollback(plan: Plan, events: JournalEvent[]): void {
  const began = events.findIndex((event) => event.type === 'run.undoing');
  const opened = events.filter((event) => event.type === 'list.opened' && event.data.name === '@compensate');
  if (began < 0) {
    if (opened.length > 0) broken('something was undone without a rollback');
    return;
  }
  const undoable = events
    .slice(0, began)
    .filter((event) => event.type === 'step.completed')
    .map((event) => event.path as string)
    .filter((path) => plan.steps.get(path.slice(path.lastIndexOf('/') + 1))?.def.compensate)
    .reverse();
  const undone = opened.map((event) => event.path);
  const cut = events.some(
    (event) => event.type === 'step.cancelled' && event.data.reason === 'the rollback was cut short',
  );
  const expected = cut ? undoable.slice(0, undone.length) : undoable;
  if (canonicalJson(undone as Json) !== canonicalJson(expected as Json))
    broken(`undone were ${undone}, and should have been ${expected}`);
}

const CLOSES = ['step.completed', 'step.attempt', 'step.interrupted', 'step.failed', 'step.cancelled'];

/**
 * The journal against the log of the outside: whatever was done is accounted for, and what a step that acts is said to have given is what
 * that very attempt of it gave, once.
 */
export function checkWrites(plan: Plan, { runId }: RunRow, events: JournalEvent[], acts: readonly Act[]): void {
  const mine = acts.filter((act) => act.runId === runId);
  for (const { path, attempt } of mine) {
    const start = events.findIndex(
      (event) => event.type === 'step.started' && event.path === path && event.data.attempt === attempt,
    );
    if (!events.slice(start + 1).some((event) => event.path === path && CLOSES.includes(event.type)))
      broken(`${path}#${attempt} was done, and nothing is known of how it ended`);
  }
  for (const [index, { type, path = '', data }] of events.entries()) {
    if (type !== 'step.completed' || planAt(plan, path)?.def.type !== 'browser_action') continue;
    if (data.degraded === true || data.recovered !== undefined || typeof data.cachedAt === 'number') continue;
    // Whoever said what became of a look, has said it of what was looked for.
    if (isObject(data.output) && data.output.by === 'hand') continue;
    const start = events.slice(0, index).findLast((event) => event.type === 'step.started' && event.path === path);
    const gave = (act: Act) =>
      (act.path === path ? act.attempt === start?.data.attempt : act.path.startsWith(`${path}[`)) &&
      canonicalJson(act.output ?? null) === canonicalJson(data.output ?? null);
    if (!mine.some((act) => act.acted && gave(act)))
      broken(`${path} is said to have given ${canonicalJson(data.output ?? null)}, and nobody gave that`);
  }
}

/** Each write of a step that completed is there once, in the order in which its run's steps completed, and no other is. */
export async function checkKnowledge({ memory }: World, plans: Plans): Promise<void> {
  const written = await memory.knowledge();
  for (const { runId } of await memory.runs()) {
    const plan = plans.ofRun(runId);
    const told = (await memory.events(runId))
      .filter(({ type, path }) => type === 'step.completed' && planAt(plan, path ?? '')?.def.type === 'kb_write')
      .map(({ data }) => (isObject(data.output) ? (data.output.revision ?? '') : ''));
    const own = written.filter(({ by }) => by?.runId === runId).map(({ revision }) => revision);
    if (canonicalJson(told) !== canonicalJson(own)) broken(`steps wrote ${told}, and the knowledge base holds ${own}`);
  }
}
