import { setTimeout as sleep } from 'node:timers/promises';
import type { RunDetail } from '../../src/app/protocol.ts';
import { until } from '../../src/cli/browser/page.ts';
import type { Json } from '../../src/model/json.ts';
import { FINAL_RUN, type StepRunRow } from '../../src/model/run.ts';
import type { Product } from './product.ts';
import { expect } from './product.ts';

/** When the browser is killed: so long after a step has begun, or waits, or is over. */
export interface Moment {
  path: string;
  delayMs: number;
}

/** What the person does for a run while it goes on. */
export interface Person {
  /** Gives what the run waits for now, apart from the question what became of a step. */
  give(detail: RunDetail): Promise<void>;
  /** Says what became of a step that was interrupted, by what the other side's log says. */
  happened(step: StepRunRow, detail: RunDetail): { done: true; output: Json } | { done: false };
}

/** Seeded moments, in the order of the steps. */
export function momentsOf(paths: readonly string[], count: number, random: () => number): Moment[] {
  const places = new Set<number>();
  while (places.size < Math.min(count, paths.length)) places.add(Math.floor(random() * paths.length));
  return [...places]
    .sort((a, b) => a - b)
    .map((place) => ({ path: paths[place] as string, delayMs: Math.floor(random() * 350) }));
}

export interface KilledRun {
  detail: RunDetail;
  /** Paths that the run asked about, once for each time. */
  asked: string[];
}

/**
 * Goes on with a run to its end, kills the browser at each of the moments, and starts it again on the same profile. Whenever an act that must
 * not be done twice was cut off, the run must ask, and is answered as `person` knows it.
 */
export async function throughKills(
  product: Product,
  runId: string,
  moments: readonly Moment[],
  person: Person,
): Promise<KilledRun> {
  const left = [...moments];
  const asked: string[] = [];
  let last: RunDetail | undefined;
  const detail = await until(
    async () => {
      last = await product.detail(runId);
      const next = left[0];
      if (next && isReached(last, next.path)) {
        left.shift();
        await sleep(next.delayMs);
        await product.kill();
        await product.launch();
        last = await product.detail(runId);
        expectAsked(last, asked);
        console.log(`  killed at ${next.path} +${next.delayMs} ms; then ${last.run.status} ${last.run.waitingFor}`);
        return undefined;
      }
      if (FINAL_RUN.includes(last.run.status)) return last;
      const asking = last.steps.find(({ status, wait }) => status === 'waiting' && wait?.kind === 'recovery');
      if (asking) {
        asked.push(asking.path);
        const said = person.happened(asking, last);
        const answer = said.done ? { decision: 'done' as const, output: said.output } : { decision: 'retry' as const };
        console.log(`  asked about ${asking.path}: ${answer.decision}`);
        const command = { type: 'recover', runId, path: asking.path, ...answer } as const;
        expect(await product.command(command)).toMatchObject({ ok: true });
      } else await person.give(last);
      return undefined;
    },
    () => new Error(`The run did not end: ${JSON.stringify(last?.steps.map(({ path, status }) => [path, status]))}`),
    300_000,
  );
  // Where it was asked, there was something to ask about, and the other way round.
  const cut = detail.steps.flatMap(({ path, effect, attempts }) =>
    effect === 'once' ? attempts.filter(({ error }) => error?.code === 'interrupted').map(() => path) : [],
  );
  expect(asked.sort()).toEqual(cut.sort());
  return { detail, asked };
}

function isReached({ steps }: RunDetail, path: string): boolean {
  return steps.some((step) => step.path === path && (step.attempt > 0 || step.status !== 'pending'));
}

/** Nothing that must not be done twice goes on by itself after its engine died: it was not begun, is over, or asks. */
function expectAsked({ steps }: RunDetail, asked: readonly string[]): void {
  for (const { path, effect, status, attempts, wait } of steps) {
    if (effect !== 'once' || attempts.at(-1)?.error?.code !== 'interrupted') continue;
    // Asked about before, and answered with "done".
    if (status === 'completed' && asked.includes(path)) continue;
    expect([status, wait?.kind]).toEqual(['waiting', 'recovery']);
  }
}
