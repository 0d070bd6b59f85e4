import { setTimeout as sleep } from 'node:timers/promises';
import type { RunDetail } from '../../../src/app/protocol.ts';
import { until } from '../../../src/cli/browser/page.ts';
import type { Command } from '../../../src/model/commands.ts';
import type { ApprovalRow, StepRunRow } from '../../../src/model/run.ts';
import type { Product } from '../product.ts';
import type { Draw } from './random.ts';

/** One or more runs that are started together, and what must hold of them when they have ended. */
export interface Round {
  name: string;
  runIds: readonly string[];
  /** Type of a step, by its id. */
  types: ReadonlyMap<string, string>;
  /** What a person answers to a step that waits for one. Looks at nothing but what a person could see. */
  answer(detail: RunDetail, step: StepRunRow): Promise<Command>;
  /** Before the first decision, once the run's pages are there. */
  prepare?(detail: RunDetail): Promise<void>;
  /** By the server's own log. @throws when it is not as it must be */
  check(details: readonly RunDetail[]): void;
}

/** Kills runs of one kind: makes a fresh round whenever it is asked. */
export interface Workload {
  name: string;
  begin(number: number, draw: Draw): Promise<Round>;
}

/** The step that waits for a person, if any. */
export function asking({ steps }: RunDetail): StepRunRow | undefined {
  return steps.find(
    ({ status, wait }) => status === 'waiting' && (wait?.kind === 'approval' || wait?.kind === 'recovery'),
  );
}

export function pendingOf({ approvals }: RunDetail, path: string): ApprovalRow {
  const row = approvals.find((approval) => approval.path === path && approval.status === 'pending');
  if (!row) throw new Error(`${path} waits for an approval, and there is none.`);
  return row;
}

/** `done` when the server has it, else `retry`, as a person would say who looks there. Only *once* steps may ask what became of them. */
export function recoverCommand(
  runId: string,
  step: Pick<StepRunRow, 'path'>,
  decision: 'done' | 'retry' | 'fail',
): Command {
  return { type: 'recover', runId, path: step.path, decision };
}

/**
 * Waits until a page has done all that it was told before the worker died, and its server has heard of it: only then can a person say what
 * has happened.
 */
export async function untilQuiet(product: Product, url: string, busy: () => number): Promise<void> {
  let quiet = 0;
  await until(
    async () => {
      const page = await product.pageAt(url).catch(() => undefined);
      await page?.send('Runtime.evaluate', { expression: '1' }).catch(() => undefined);
      await page?.detach();
      quiet = busy() === 0 ? quiet + 1 : 0;
      if (quiet >= 3) return true;
      await sleep(100);
      return false;
    },
    () => new Error(`The server at ${url} is never at rest.`),
  );
}
