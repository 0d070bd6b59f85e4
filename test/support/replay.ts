import { expect } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { applyEntry, createState } from '../../src/engine/fold.ts';
import { deriveRow, readEntries } from '../../src/engine/journal.ts';
import type { RunActor } from '../../src/engine/run-actor.ts';
import { type Frame, type ListState, listKey, type RunState, type StepState } from '../../src/engine/state.ts';
import { canonicalJson } from '../../src/model/canonical.ts';
import { verifyChain } from '../../src/model/events.ts';
import { wellFormed } from '../../src/model/json.ts';
import type { Store } from '../../src/ports/store.ts';

/** The state of a run that is in an engine's memory. */
export function liveState(engine: Engine, runId: string): RunState | undefined {
  const { actors } = engine as unknown as { actors: Map<string, RunActor> };
  return actors.get(runId)?.machine.state;
}

function plainFrame(frame: Frame | undefined): unknown {
  return (
    frame && {
      list: frame.list.id,
      prefix: frame.prefix,
      index: frame.index,
      item: frame.item,
      outer: plainFrame(frame.outer),
    }
  );
}

function plainList(list: ListState | undefined): unknown {
  if (!list) return undefined;
  const { plan, owner, frame, ...rest } = list;
  return { ...rest, plan: plan.id, owner: owner?.row.path, frame: plainFrame(frame) };
}

function plainStep(step: StepState): unknown {
  const { plan, list, lists, ...rest } = step;
  return {
    ...rest,
    plan: plan.id,
    list: [list.owner?.row.path, listKey(list.plan.name, list.index)],
    lists: Object.fromEntries([...lists].map(([name, inner]) => [name, plainList(inner)])),
  };
}

/** A state as plain data, without what never tells two apart (compiled plans). */
export function plainState(state: RunState): unknown {
  const { plan: _, plans: __, root, steps, covers, refused, due, busy, children, ...rest } = state;
  const paths = (set: Set<StepState>) => [...set].map((step) => step.row.path);
  return wellFormed({
    ...rest,
    former: [...rest.former],
    root: plainList(root),
    steps: Object.fromEntries([...steps].map(([path, step]) => [path, plainStep(step)])),
    covers: [...covers],
    refused: [...refused].sort(),
    due: paths(due).sort(),
    busy: paths(busy),
    children: paths(children),
  });
}

/** The state that a run's journal folds to, read from the store as recovery does. */
export async function foldedState(
  store: Store,
  runId: string,
  plan: RunState['plan'],
  plans?: RunState['plans'],
): Promise<RunState> {
  const events = await store.events(runId);
  const broken = verifyChain(events);
  if (broken) throw new Error(`the chain is broken at ${broken.seq}: ${broken.reason}`);
  const [first, ...rest] = await readEntries(store, events);
  if (!first) throw new Error('the journal is empty');
  const state = createState(plans?.get(String(first.data.revision)) ?? plan, runId, first, plans);
  for (const entry of rest) applyEntry(state, entry);
  deriveRow(state, { seq: events.length, hash: events.at(-1)?.hash ?? '' });
  return state;
}

function same(what: string, found: unknown, want: unknown): void {
  const [a, b] = [wellFormed(found), wellFormed(want)];
  if (canonicalJson(a) !== canonicalJson(b)) expect(a, what).toEqual(b);
}

/**
 * The replay law: what the journal in the store folds to is what the engine holds, and the rows in the store are that state's rows.
 * Call it between a commit and the engine's next turn, or when nothing is queued.
 */
export async function checkReplay(store: Store, live: RunState): Promise<RunState> {
  const { runId } = live.run;
  const before = plainState(live);
  const folded = await foldedState(store, runId, live.plan, live.plans);
  same('the journal folds to the live state', plainState(folded), before);
  same('the run row is that of the state', plainRow(await store.run(runId)), plainRow(folded.run));
  const rows = new Map((await store.steps(runId)).map((row) => [row.path, row]));
  for (const [path, step] of folded.steps)
    same(`the row of ${path} is that of the state`, plainRow(rows.get(path)), plainRow(step.row));
  const approvals = new Map((await store.approvals({ runId })).map((row) => [row.approvalId, row]));
  for (const { approval } of folded.steps.values())
    if (approval) same(`the approval of ${approval.path}`, approvals.get(approval.approvalId), approval);
  return folded;
}

/** A row without its large members, which the store keeps elsewhere. */
function plainRow(row: object | undefined): unknown {
  if (!row) return undefined;
  const { input, output, inputRef, outputRef, ...rest } = row as Record<string, unknown>;
  return { ...rest, input: inputRef ? undefined : input, output: outputRef ? undefined : output };
}
