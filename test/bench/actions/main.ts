import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { DRIVERS, isComplete, REPOSITORIES, readResults, versionOf, writeResults } from './results.ts';
import { LEFT_OUT, TASKS } from './tasks/index.ts';

/*
 * `npm run bench:actions -- --miniwob DIR --todomvc DIR`: how well the page actions do on public pages, beside Playwright's real input. The
 * checkouts are not part of this project: the caller names them. A whole run takes long, so parts can be run: `--only a,b` (tasks and
 * applications), `--seeds N` (5), and `--results FILE` keeps what was found, goes on with what is
 * not there yet, and has the page made of all of it; `--minutes N` stops before what would begin later.
 * `--by playwright` or `--by tabloom` runs one of the two,
 * `--tasks` lists what there is to run, `--no-write` leaves docs/benchmarks-actions.md, and what docs/benchmarks.md says of it, as they are.
 */
const DOCS = resolve(import.meta.dirname, '../../../docs');

/** What tells each checkout. */
const CHECKOUTS = {
  miniwob: { mark: 'miniwob/html/core/core.js', of: REPOSITORIES['MiniWoB++'] },
  todomvc: { mark: 'examples/jquery', of: REPOSITORIES.TodoMVC },
} as const;

const { values: options } = parseArgs({
  options: {
    miniwob: { type: 'string' },
    todomvc: { type: 'string' },
    only: { type: 'string' },
    by: { type: 'string' },
    seeds: { type: 'string', default: '5' },
    results: { type: 'string' },
    minutes: { type: 'string' },
    tasks: { type: 'boolean' },
    'no-write': { type: 'boolean' },
  },
});

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

async function main(): Promise<void> {
  if (!options.miniwob && !options.todomvc)
    throw new Error(
      `Name a checkout: --miniwob DIR (of ${CHECKOUTS.miniwob.of}), --todomvc DIR (of ${CHECKOUTS.todomvc.of}), or both.`,
    );
  for (const name of ['miniwob', 'todomvc'] as const) {
    const folder = options[name];
    const { mark, of } = CHECKOUTS[name];
    if (folder !== undefined && !existsSync(join(folder, mark)))
      throw new Error(`Check --${name}: ${folder} holds no ${mark}, so it is no checkout of ${of}.`);
  }
  const seeds = Number(options.seeds);
  if (!Number.isInteger(seeds) || seeds < 1 || seeds > 100)
    throw new Error('Check --seeds: it is a number from 1 to 100.');

  const by = DRIVERS.filter((name) => options.by === undefined || options.by === name);
  if (by.length === 0) throw new Error(`Check --by: it is ${DRIVERS.join(' or ')}.`);

  const { CHECKS, findApps, runTodomvc } = await import('./todomvc.ts');
  const { runMiniwob, unknownTasks } = await import('./miniwob.ts');
  const only = options.only?.split(',').map((name) => name.trim());
  const chosen = (name: string): boolean => only === undefined || only.includes(name);
  const miniwob = options.miniwob ? resolve(options.miniwob) : undefined;
  const todomvc = options.todomvc ? resolve(options.todomvc) : undefined;
  const tasks = miniwob ? Object.keys(TASKS).filter(chosen) : [];
  const { found, leftOut } = todomvc ? findApps(todomvc) : { found: {}, leftOut: {} };
  const apps = Object.fromEntries(Object.entries(found).filter(([name]) => chosen(name)));
  const unknown = only?.filter((name) => !tasks.includes(name) && !(name in apps)) ?? [];
  if (unknown.length > 0)
    throw new Error(`Check --only: there is no ${unknown.join(', ')}; --tasks lists what there is.`);
  if (options.tasks) {
    console.log([...tasks, ...Object.keys(apps)].join('\n'));
    for (const name of miniwob ? unknownTasks(miniwob) : [])
      console.log(`${name} (left out: ${LEFT_OUT[name] ?? 'there is no solver for it'})`);
    for (const [name, why] of Object.entries(leftOut)) console.log(`${name} (left out: ${why})`);
    return;
  }

  const results = readResults(options.results);
  results.checkouts = {
    ...results.checkouts,
    ...(miniwob && { 'MiniWoB++': versionOf(miniwob) }),
    ...(todomvc && { TodoMVC: versionOf(todomvc) }),
  };
  const rest = only ? tasks : tasks.filter((name) => !isComplete(results['MiniWoB++']?.[name], seeds, by));
  const restOfApps = only
    ? apps
    : Object.fromEntries(
        Object.entries(apps).filter(([name]) => !isComplete(results.TodoMVC?.[name], CHECKS.length, by)),
      );
  const end = options.minutes ? Date.now() + Number(options.minutes) * 60_000 : Number.POSITIVE_INFINITY;
  const inTime = (): boolean => Date.now() < end;

  const { openBrowser } = await import('./browser.ts');
  const { serveFolders } = await import('./serve.ts');
  const { misses, reportPage, totalsTable, withSummary } = await import('./report.ts');
  const folders: Record<string, string> = {};
  if (miniwob) folders.miniwob = miniwob;
  if (todomvc) folders.todomvc = todomvc;
  const server = await serveFolders(folders);
  const browser = await openBrowser();
  const say = (line: string): void => {
    console.log(line);
    if (options.results) writeResults(options.results, results);
  };
  try {
    if (rest.length > 0) await runMiniwob(browser, server.origin, { tasks: rest, seeds, by, results, say, inTime });
    await runTodomvc(browser, server.origin, { apps: restOfApps, by, results, say, inTime });
  } finally {
    await browser.close();
    await server.close();
  }
  console.log(`\n${misses(results).join('\n')}\n\n${totalsTable(results)}`);
  if (options['no-write']) return;
  writeFileSync(
    join(DOCS, 'benchmarks-actions.md'),
    reportPage(
      results,
      { 'MiniWoB++': Object.keys(TASKS).length, TodoMVC: Object.keys(found).length },
      { 'MiniWoB++': LEFT_OUT, TodoMVC: leftOut },
      browser.version,
    ),
  );
  const overview = join(DOCS, 'benchmarks.md');
  writeFileSync(overview, withSummary(readFileSync(overview, 'utf8'), totalsTable(results)));
}
