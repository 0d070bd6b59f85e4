import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchBrowser } from './browser.ts';
import { type Driver, openDriver } from './drivers.ts';
import { Episode, type Solver } from './episode.ts';
import { note, type Outcome, type Running } from './results.ts';
import { TASKS } from './tasks/index.ts';
import { watchCanvas } from './tasks/shapes.ts';

/** The longest that one episode may take, milliseconds; the tasks' own limits are for learners, and count the time of our looks too. */
const EPISODE = 20_000;

/** What the pages of MiniWoB++ have as globals. */
interface Page {
  core: { EPISODE_MAX_TIME: number; cover_div: Element | null; startEpisodeReal(): void };
  WOB_DONE_GLOBAL: boolean;
  WOB_RAW_REWARD_GLOBAL: number;
  WOB_REWARD_REASON: string | null;
}

/** Pages of a checkout that there are no solvers for. */
export function unknownTasks(folder: string): string[] {
  const pages = readdirSync(join(folder, 'miniwob/html/miniwob')).flatMap((file) =>
    file.endsWith('.html') ? [file.slice(0, -5)] : [],
  );
  return pages.filter((name) => !(name in TASKS));
}

/**
 * Runs tasks with the drivers named, each task with one after the other, in tabs that are used again. A task's episodes begin from the seeds 1 to `seeds`.
 * @param origin where the checkout is served, under `/miniwob/`
 */
export async function runMiniwob(
  browser: BenchBrowser,
  origin: string,
  { tasks, seeds, by, results, say, inTime }: Running & { tasks: string[]; seeds: number },
): Promise<void> {
  const drivers: Driver[] = [];
  for (const name of by) drivers.push(await openDriver(name, browser, origin));
  for (const { page } of drivers) await page.addInitScript(watchCanvas);
  for (const task of tasks) {
    if (!inTime()) break;
    for (const driver of drivers) {
      const began = performance.now();
      const url = `${origin}/miniwob/miniwob/html/miniwob/${task}.html`;
      const outcomes = await runTask(driver, url, TASKS[task] as Solver, seeds);
      for (const [index, outcome] of outcomes.entries())
        note(results, 'MiniWoB++', task, String(index + 1), driver.name, outcome);
      const passed = outcomes.filter((outcome) => outcome.passed).length;
      const why = outcomes.find((outcome) => outcome.note)?.note;
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      say(`${driver.name} ${task}: ${passed}/${seeds}, ${seconds} s${why ? ` (${why})` : ''}`);
    }
  }
  for (const driver of drivers) await driver.close();
}

async function runTask(driver: Driver, url: string, solve: Solver, seeds: number): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let fresh = false;
  for (let seed = 1; seed <= seeds; seed++) {
    try {
      if (!fresh) await open(driver, url);
      const outcome = await runEpisode(driver, solve, seed);
      outcomes.push(outcome);
      fresh = outcome.passed;
    } catch (error) {
      if (driver.page.isClosed()) throw error;
      outcomes.push({ passed: false, note: short(error) });
      fresh = false;
    }
  }
  return outcomes;
}

async function open(driver: Driver, url: string): Promise<void> {
  await driver.goto(url);
  await driver.page.waitForFunction(() => (globalThis as unknown as Page).core.cover_div !== null);
}

async function runEpisode(driver: Driver, solve: Solver, seed: number): Promise<Outcome> {
  const query = await driver.page.evaluate(
    ([number, longest]) => {
      const page = globalThis as unknown as Page;
      (Math as unknown as { seedrandom(seed: string): void }).seedrandom(String(number));
      page.core.EPISODE_MAX_TIME = longest;
      page.core.startEpisodeReal();
      return (document.getElementById('query')?.textContent ?? '').replace(/\s+/g, ' ').trim();
    },
    [seed, EPISODE] as const,
  );
  let failure: string | undefined;
  const late = new Promise<void>((_, reject) => setTimeout(() => reject(new Error('took too long')), EPISODE).unref());
  const solving = solve(new Episode(driver, query));
  solving.catch(() => undefined);
  await Promise.race([solving, late]).catch((error: unknown) => {
    failure = short(error);
  });
  // A page may reward what was right before the solver had finished with it.
  const { done, reward, reason } = await driver.page.evaluate(async () => {
    const page = globalThis as unknown as Page;
    for (let look = 0; look < 20 && !page.WOB_DONE_GLOBAL; look++) await new Promise((next) => setTimeout(next, 50));
    return { done: page.WOB_DONE_GLOBAL, reward: page.WOB_RAW_REWARD_GLOBAL, reason: page.WOB_REWARD_REASON };
  });
  if (done && reward > 0) return { passed: true };
  return { passed: false, note: failure ?? (done ? `reward ${reward}${reason ? `, ${reason}` : ''}` : 'not done') };
}

function short(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}
