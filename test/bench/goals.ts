import { PASSAGE_COUNT } from './knowledge.ts';
import type { BrowserFigures } from './page.ts';

/** One line of the table of goals. */
export interface Goal {
  what: string;
  goal: string;
  found: string;
  met: boolean;
}

export interface Figures {
  /** Microseconds of processor time, and on the wall, a step, by the name of the measurement. */
  cpu: (name: string) => number;
  wall: (name: string) => number;
  approvals: { wall: number; cpu: number };
  /** Kibibytes of heap for each ended run. */
  heapKept: number;
  browser?: BrowserFigures;
}

const most = (what: string, found: number, limit: number, unit: string): Goal => ({
  what,
  goal: `≤ ${limit} ${unit}`,
  found: `${found.toFixed(found < 10 ? 2 : 0)} ${unit}`,
  met: found <= limit,
});

/** The goals of the engine's speed, and what this run of the benchmark says of them. Times belong to a machine; ratios less so. */
export function judge({ cpu, wall, approvals, heapKept, browser }: Figures): Goal[] {
  const fake = 'simulated IndexedDB,';
  return [
    most('deciding alone, a step', wall('deciding 1000'), 10, 'µs'),
    most('Dexie on a simulated IndexedDB, chain, processor time a step', cpu(`${fake} chain 100`), 250, 'µs'),
    most('the same, fan-out', cpu(`${fake} fan-out 100 and a join`), 250, 'µs'),
    most('the same, loop', cpu(`${fake} loop 1000`), 250, 'µs'),
    most(
      'growth: a step of a loop of 10 000 to one of 100',
      cpu(`${fake} loop 10000`) / cpu(`${fake} loop 100`),
      1.2,
      '×',
    ),
    most('a waiting run decided and finished by a new process', approvals.wall, 300, 'µs'),
    most('heap that an ended run leaves in the engine', heapKept, 1, 'KiB'),
    ...(browser ? inBrowser(browser) : []),
  ];
}

function inBrowser({
  chain,
  fan,
  rawJournal,
  ready,
  bytesShort,
  bytesLong,
  waiting,
  knowledge,
}: BrowserFigures): Goal[] {
  return [
    most('IndexedDB in Chromium, one step after another', chain, 1.3, 'ms'),
    most('the same, to a journal of one row a step written by hand', chain / rawJournal, 1.5, '×'),
    most('IndexedDB in Chromium, fan-out', fan, 0.25, 'ms'),
    most('growth: bytes a step of a loop of 1000 to one of 100', bytesLong / bytesShort, 1.2, '×'),
    most(`Chromium: a new engine drives ${waiting} waiting runs`, ready / 1000, 2, 's'),
    most(`Chromium: a search of a knowledge base of ${PASSAGE_COUNT} passages`, knowledge.search, 50, 'ms'),
  ];
}
