import { cpus } from 'node:os';
import { DRIVERS, GOALS, percent, REPOSITORIES, type Results, SUITES, type Suite, total } from './results.ts';

const table = (head: string[], rows: string[][]): string =>
  [head, head.map((_, index) => (index === 0 ? '---' : '---:')), ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');

const UNITS: Record<Suite, string> = { 'MiniWoB++': 'tasks', TodoMVC: 'applications' };
const CELLS: Record<Suite, string> = { 'MiniWoB++': 'episodes', TodoMVC: 'checks' };

/** Totals of what was run, one line a suite. */
export function totalsTable(results: Results): string {
  return table(
    ['suite', 'tasks', 'cells', ...DRIVERS, 'both', "share of Playwright's", 'goal', 'met'],
    SUITES.flatMap((suite) => {
      const tasks = results[suite];
      if (!tasks) return [];
      const { tasks: count, cells, passed, both, share } = total(tasks);
      return [
        [
          suite,
          `${count} ${UNITS[suite]}`,
          `${cells} ${CELLS[suite]}`,
          ...DRIVERS.map((name) => String(passed[name])),
          String(both),
          percent(share),
          `≥ ${percent(GOALS[suite])}`,
          share >= GOALS[suite] ? 'yes' : 'no',
        ],
      ];
    }),
  );
}

/** What Playwright passed and Tabloom did not: the faults. */
export function misses(results: Results): string[] {
  return SUITES.flatMap((suite) =>
    Object.entries(results[suite] ?? {}).flatMap(([task, cells]) =>
      Object.entries(cells).flatMap(([cell, { playwright, tabloom }]) =>
        playwright?.passed && !tabloom?.passed ? [`${suite} ${task} ${cell}: ${tabloom?.note ?? 'not run'}`] : [],
      ),
    ),
  );
}

/** What Playwright did not pass, one line a task: a fault of its script or of the page, or of the moment. */
export function beyondPlaywright(results: Results, suite: Suite): string[] {
  return Object.entries(results[suite] ?? {}).flatMap(([task, cells]) => {
    const failed = Object.entries(cells).filter(([, { playwright }]) => !playwright?.passed);
    if (failed.length === 0) return [];
    const own = failed.filter(([, { tabloom }]) => tabloom?.passed).length;
    const why = failed[0]?.[1].playwright?.note ?? 'not run';
    return `${task}: ${failed.map(([cell]) => cell).join(', ')}${own > 0 ? ` (Tabloom passes ${own} of ${failed.length})` : ''}: ${why}`;
  });
}

const SUMMARY = '## Page actions on public pages';

/** The page of all benchmarks with the totals of this one in it, in place of those that it may hold. */
export function withSummary(page: string, totals: string): string {
  const start = page.indexOf(`${SUMMARY}\n`);
  const next = start < 0 ? -1 : page.indexOf('\n## ', start + 1);
  const rest = start < 0 ? page : page.slice(0, start) + (next < 0 ? '' : page.slice(next + 1));
  const text =
    "What of the tasks that Playwright's real input passes the page actions pass too; task by task in [benchmarks-actions.md](benchmarks-actions.md).";
  return `${[rest.trimEnd(), SUMMARY, text, totals].join('\n\n')}\n`;
}

/** The totals that the page of all benchmarks holds; nothing where it has none. */
export function summaryOf(page: string): string | undefined {
  const [, after] = page.split(`${SUMMARY}\n`);
  return after
    ?.split('\n## ')[0]
    ?.match(/^\|.*\|$/gm)
    ?.join('\n');
}

/** How many cells of each task were run, as `48 with 5 episodes, 71 with 1`. */
function extent(suite: Suite, tasks: NonNullable<Results[Suite]>): string {
  const counts = new Map<number, number>();
  for (const cells of Object.values(tasks)) {
    const count = Object.keys(cells).length;
    counts.set(count, (counts.get(count) ?? 0) + 1);
  }
  return [...counts]
    .sort(([a], [b]) => b - a)
    .map(([cells, count], index) => `${count} with ${cells}${index === 0 ? ` ${CELLS[suite]}` : ''}`)
    .join(', ');
}

/**
 * The page for the docs.
 * @param known how many tasks and applications there are to run
 * @param leftOut why others are not among them, by name
 * @param version of the browser
 */
export function reportPage(
  results: Results,
  known: Readonly<Record<Suite, number>>,
  leftOut: Readonly<Record<Suite, Readonly<Record<string, string>>>>,
  version: string,
): string {
  const parts = [
    '# Benchmarks of page actions',
    "Written by `npm run bench:actions`. Public pages are solved by scripts, once with Playwright's real input and once with Tabloom's page actions, in the same browser; " +
      'what counts is the share of what Playwright passes that Tabloom passes too. What neither passes is the fault of a script or a page.',
    `A measurement of ${new Date().toISOString().slice(0, 10)}: Chromium ${version}, Node ${process.version}, ${cpus().length} cores. Timing decides some cells, so another day may differ by a few. ` +
      'The pages were looked at while the actions were written, so the shares are the upper end of what other pages will give. ' +
      'Playwright, which watches both, gives all tabs the focus; a window that is not in front has less.',
    totalsTable(results),
    SUITES.flatMap((suite) => {
      const tasks = results[suite];
      if (!tasks) return [];
      const source = `${REPOSITORIES[suite]}, commit ${results.checkouts?.[suite] ?? 'unknown'}`;
      return `- ${suite}: ${source}; run were ${Object.keys(tasks).length} of ${known[suite]} ${UNITS[suite]}: ${extent(suite, tasks)}.`;
    }).join('\n'),
  ];
  for (const suite of SUITES) {
    const tasks = results[suite];
    if (!tasks) continue;
    const rows = Object.entries(tasks)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([task, cells]) => {
        const { cells: count, passed } = total({ [task]: cells });
        return [task, ...DRIVERS.map((name) => `${passed[name]} of ${count}`)];
      });
    parts.push(`## ${suite}`, table([suite === 'TodoMVC' ? 'application' : 'task', ...DRIVERS], rows));
  }
  const missed = misses(results);
  if (missed.length > 0)
    parts.push('## What Playwright passes and Tabloom does not', missed.map((line) => `- ${line}`).join('\n'));
  for (const suite of SUITES) {
    const beyond = beyondPlaywright(results, suite);
    if (beyond.length > 0)
      parts.push(`## What Playwright does not pass of ${suite}`, beyond.map((line) => `- ${line}`).join('\n'));
    const left = Object.entries(leftOut[suite]);
    if (results[suite] && left.length > 0)
      parts.push(`## Left out of ${suite}`, left.map(([task, why]) => `- ${task}: ${why}`).join('\n'));
  }
  return `${parts.join('\n\n')}\n`;
}
