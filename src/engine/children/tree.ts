import type { Command } from '../../model/commands.ts';
import type { RunRow, StepRunRow } from '../../model/run.ts';
import { monthAsked } from '../../model/spending.ts';
import type { Store } from '../../ports/store.ts';

type Read = Pick<Store, 'run' | 'steps'>;

/** Step runs of a run and of all runs that were called from it, each under its path from there (`child/sum`), in order. */
export async function stepsOfTree(store: Read, runId: string): Promise<StepRunRow[]> {
  const rows: StepRunRow[] = [];
  for (const row of await store.steps(runId)) {
    rows.push(row);
    if (row.child === undefined) continue;
    const inner = await stepsOfTree(store, row.child);
    rows.push(...inner.map((one) => ({ ...one, path: `${row.path}/${one.path}` })));
  }
  return rows.map((row, order) => ({ ...row, order }));
}

/** Runs that were called from a run, at any depth, each with the path that leads to it. */
export async function runsBelow(store: Read, runId: string): Promise<{ runId: string; prefix: string }[]> {
  const run = await store.run(runId);
  if (!run?.children) return [];
  const found: { runId: string; prefix: string }[] = [];
  for (const { child, path } of await store.steps(runId)) {
    if (child === undefined) continue;
    found.push({ runId: child, prefix: path });
    for (const inner of await runsBelow(store, child))
      found.push({ runId: inner.runId, prefix: `${path}/${inner.prefix}` });
  }
  return found;
}

/** The run and the path in it that a path from a run around it leads to. */
export async function placeOf(store: Read, runId: string, path: string): Promise<{ runId: string; path: string }> {
  const run = await store.run(runId);
  if (!run?.children || !path.includes('/')) return { runId, path };
  const rows = await store.steps(runId);
  if (rows.some((row) => row.path === path)) return { runId, path };
  const owner = rows.find((row) => row.child !== undefined && path.startsWith(`${row.path}/`));
  if (owner?.child === undefined) return { runId, path };
  return placeOf(store, owner.child, path.slice(owner.path.length + 1));
}

/**
 * A command as the run takes it that it is about. It may have been given to the run around that one: under the path from there, or as a
 * signal or a new limit that only a step inside waits for. A retry is always of the outermost run.
 */
export async function addressed(store: Read, command: Command): Promise<Command> {
  if ('path' in command) return { ...command, ...(await placeOf(store, command.runId, command.path)) };
  const run = await store.run(command.runId);
  if (!run) return command;
  if (command.type === 'retry') return { ...command, runId: run.parent?.root ?? command.runId };
  if (!run.children) return command;
  if (command.type === 'signal') {
    const waits = (row: StepRunRow) => row.wait?.kind === 'signal' && row.wait.subject === command.name;
    return { ...command, runId: (await runThatWaits(store, run, waits)) ?? command.runId };
  }
  if (command.type === 'raiseBudget') {
    const own = (row: StepRunRow) => row.wait?.kind === 'budget';
    const waiting = await runThatWaits(store, run, own);
    const asked = waiting && (await store.steps(waiting)).find(own)?.wait?.subject;
    return { ...command, runId: (monthAsked(asked) === undefined ? asked : undefined) ?? waiting ?? command.runId };
  }
  return command;
}

async function runThatWaits(
  store: Read,
  run: RunRow,
  waits: (row: StepRunRow) => boolean,
): Promise<string | undefined> {
  for (const runId of [run.runId, ...(await runsBelow(store, run.runId)).map((one) => one.runId)])
    if ((await store.steps(runId)).some((row) => row.status === 'waiting' && waits(row))) return runId;
  return undefined;
}
