import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { summaryOf, withSummary } from './actions/report.ts';
import { measureBrowser } from './browser.ts';
import { type Goal, judge } from './goals.ts';
import { PASSAGE_COUNT } from './knowledge.ts';
import { approvalsAcross, heapKept, measureNode } from './node.ts';
import { measurePages } from './pages/measure.ts';
import { checkPeers } from './pages/peers.ts';
import { judgePages, pagesText } from './pages/report.ts';
import { peersTable } from './peers.ts';

/*
 * `npm run bench`: what a step costs in the engine, and what an act on a page costs, as tables on the terminal and in docs/benchmarks.md.
 * Nothing is asserted: times belong to a machine, and are for comparing lines of one run. `--peers FILE` adds what other engines took: the
 * JSON lines of the side-by-side benchmark. `--peers DIR` measures other browser servers beside our page actions, in the same run: a folder
 * in which `@playwright/mcp`, `chrome-devtools-mcp` and `@modelcontextprotocol/sdk` are installed. Both may be given. `--no-browser` leaves
 * Chromium out, `--no-write` the file. `--only pages` measures page actions alone, and writes that part alone.
 */
const PAGE = resolve(import.meta.dirname, '../../docs/benchmarks.md');

const { values: options } = parseArgs({
  options: {
    peers: { type: 'string', multiple: true },
    only: { type: 'string' },
    'no-browser': { type: 'boolean' },
    'no-write': { type: 'boolean' },
  },
});

if (options.only !== undefined && options.only !== 'pages') throw new Error('Check --only: it is pages, or left out.');
const isFolder = (path: string): boolean => statSync(path).isDirectory();
const peersFolder = options.peers?.find(isFolder);
const peersFile = options.peers?.find((path) => !isFolder(path));
if (peersFolder !== undefined) checkPeers(peersFolder);

const table = (head: string[], rows: string[][]): string =>
  [head, head.map((_, index) => (index === 0 ? '---' : '---:')), ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
const goalsTable = (goals: Goal[]): string =>
  table(
    ['what', 'goal', 'found', 'met'],
    goals.map(({ what, goal, found, met }) => [what, goal, found, met ? 'yes' : 'no']),
  );

const measurePagesPart = async (): Promise<string> => {
  const pages = await measurePages(peersFolder);
  return [pagesText(pages, table), goalsTable(judgePages(pages))].join('\n\n');
};
if (options.only === 'pages') {
  const part = await measurePagesPart();
  process.stdout.write(`${part}\n`);
  if (!options['no-write']) putPart(part);
  process.exit();
}

const measures = await measureNode();
const approvals = approvalsAcross(1000);
const kept = await heapKept(200);
const browser = options['no-browser'] ? undefined : await measureBrowser();
const pagesPart = options['no-browser'] ? undefined : await measurePagesPart();

const of = (key: 'wall' | 'cpu') => (name: string) => {
  const found = measures.find((measure) => measure.name === name);
  if (!found) throw new Error(`nothing was measured as ${name}`);
  return found[key];
};
const goals = judge({ cpu: of('cpu'), wall: of('wall'), approvals, heapKept: kept, browser });

const text = [
  '# Benchmarks',
  'Written by `npm run bench`. The figures are for comparing lines with each other: they were taken in one run on one machine, and say little of another.',
  `Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'})${browser ? `, Chromium ${browser.version}` : ''}.`,
  '## Goals',
  goalsTable(goals),
  '## A step in the engine',
  'Each step is outside work: its intent is committed before it, its result after it. Microseconds a step, median.',
  table(
    ['what', 'steps', 'wall', 'processor'],
    measures.map(({ name, steps, wall, cpu }) => [name, String(steps), wall.toFixed(1), cpu.toFixed(1)]),
  ),
  `1000 runs that wait for an approval, decided and finished by a process of its own: ${approvals.wall.toFixed(0)} µs a run (processor ${approvals.cpu.toFixed(0)} µs, the process's first seconds of compiling included).`,
  ...(browser
    ? [
        '## IndexedDB in Chromium',
        'In a worker, on a profile on disk. Milliseconds a step.',
        table(
          ['what', 'ms'],
          [
            ['a journal by hand, one row and one transaction after another', browser.rawJournal.toFixed(2)],
            ['the engine, one step after another', browser.chain.toFixed(2)],
            ['a journal by hand, many transactions at once', browser.rawFan.toFixed(2)],
            ['the engine, many steps at once', browser.fan.toFixed(2)],
            ['the engine, a loop', browser.loop.toFixed(2)],
            [`a new engine drives ${browser.waiting} waiting runs, in all`, browser.ready.toFixed(0)],
            ['one of them decided and finished', browser.finish.toFixed(2)],
          ],
        ),
        '## Knowledge base',
        `A base of ${PASSAGE_COUNT} passages in IndexedDB in Chromium. Milliseconds.`,
        table(
          ['what', 'ms'],
          [
            ['all of it indexed for the first time', browser.knowledge.build.toFixed(0)],
            ['the first search of a worker that was woken: the index is read', browser.knowledge.first.toFixed(0)],
            ['a search after it, with excerpts, median', browser.knowledge.search.toFixed(1)],
            ['the slowest of them', browser.knowledge.slowest.toFixed(1)],
          ],
        ),
      ]
    : []),
  ...(pagesPart ? [pagesPart] : []),
  readFileSync(resolve(import.meta.dirname, 'notes.md'), 'utf8').trim(),
  ...(peersFile ? ['## Beside other engines', peersTable(readFileSync(peersFile, 'utf8'))] : []),
].join('\n\n');

process.stdout.write(`${text}\n`);
if (!options['no-write']) {
  // What `npm run bench:actions` has put there stays.
  const actions = existsSync(PAGE) ? summaryOf(readFileSync(PAGE, 'utf8')) : undefined;
  writeFileSync(PAGE, actions ? withSummary(text, actions) : `${text}\n`);
}

/** Puts the part about pages in the place of the one that the file has. */
function putPart(part: string): void {
  const parts = readFileSync(PAGE, 'utf8')
    .trim()
    .split(/\n(?=## )/);
  const others = parts.filter((one) => !one.startsWith('## Page actions\n'));
  const at = others.findIndex((one) => one.startsWith('## Why some goals are missed'));
  others.splice(at === -1 ? others.length : at, 0, part);
  writeFileSync(PAGE, `${others.map((one) => one.trim()).join('\n\n')}\n`);
}
