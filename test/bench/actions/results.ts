import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Who acts: the browser's own input, or Tabloom's page actions. */
export const DRIVERS = ['playwright', 'tabloom'] as const;
export type DriverName = (typeof DRIVERS)[number];

export const SUITES = ['MiniWoB++', 'TodoMVC'] as const;
export type Suite = (typeof SUITES)[number];

/** What a checkout of each suite is of. */
export const REPOSITORIES: Readonly<Record<Suite, string>> = {
  'MiniWoB++': 'Farama-Foundation/miniwob-plusplus',
  TodoMVC: 'tastejs/todomvc',
};

/** How one driver fared in one cell: one seed of a task, or one check of an application. */
export interface Outcome {
  passed: boolean;
  /** Why not. */
  note?: string;
}

/** By suite, then task, then cell, then driver. */
export type Results = Partial<Record<Suite, Record<string, Record<string, Partial<Record<DriverName, Outcome>>>>>> & {
  /** What each suite was run from: a commit, or that it is not known. */
  checkouts?: Partial<Record<Suite, string>>;
};

/** Results of runs of parts, kept in a file. */
export function readResults(file: string | undefined): Results {
  return file && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Results) : {};
}

export function writeResults(file: string, results: Results): void {
  writeFileSync(file, `${JSON.stringify(results, null, 1)}\n`);
}

/** The commit that a checkout is of. */
export function versionOf(folder: string): string {
  try {
    const said = execFileSync('git', ['-C', folder, 'rev-parse', '--show-prefix', 'HEAD'], { stdio: 'pipe' });
    const [prefix, commit] = String(said).split('\n');
    if (prefix === '' && commit) return commit;
  } catch {
    // Neither Git nor a checkout need be there.
  }
  return 'unknown: the folder is no Git checkout';
}

/** Adds one outcome. */
export function note(
  results: Results,
  suite: Suite,
  task: string,
  cell: string,
  by: DriverName,
  outcome: Outcome,
): void {
  results[suite] ??= {};
  const tasks = results[suite];
  tasks[task] ??= {};
  tasks[task][cell] = { ...tasks[task][cell], [by]: outcome };
}

/** Whether all cells of a task have been run by all the drivers. */
export function isComplete(
  cells: Record<string, Partial<Record<DriverName, Outcome>>> | undefined,
  count: number,
  by: readonly DriverName[],
): boolean {
  const run = Object.values(cells ?? {}).filter((cell) => by.every((name) => cell[name] !== undefined));
  return run.length >= count;
}

/** What a run of a suite is given beside what it runs. */
export interface Running {
  by: readonly DriverName[];
  results: Results;
  say: (line: string) => void;
  /** Asked before each task. */
  inTime: () => boolean;
}

export interface Totals {
  tasks: number;
  cells: number;
  passed: Record<DriverName, number>;
  /** Cells that both passed. */
  both: number;
  /** Share of the cells passed by Playwright that Tabloom passed too; not a number where there are none. */
  share: number;
}

/** Counts the cells of some tasks. */
export function total(tasks: NonNullable<Results[Suite]>): Totals {
  const cells = Object.values(tasks).flatMap((task) => Object.values(task));
  const passedBy = (name: DriverName): number => cells.filter((cell) => cell[name]?.passed).length;
  const passed = Object.fromEntries(DRIVERS.map((name) => [name, passedBy(name)])) as Record<DriverName, number>;
  const both = cells.filter(({ playwright, tabloom }) => playwright?.passed && tabloom?.passed).length;
  return { tasks: Object.keys(tasks).length, cells: cells.length, passed, both, share: both / passed.playwright };
}

/** Least share that is wanted. */
export const GOALS: Readonly<Record<Suite, number>> = { 'MiniWoB++': 0.95, TodoMVC: 0.98 };

export const percent = (share: number): string => (Number.isNaN(share) ? '–' : `${(share * 100).toFixed(1)} %`);
