import type { Contender } from './contender.ts';
import { startOurs } from './ours.ts';
import { startPeers } from './peers.ts';
import { PAGE_NAMES, type PageName, startSite } from './site.ts';

/** Milliseconds. */
export interface Spread {
  median: number;
  p95: number;
}

export interface PageFigures {
  click: Spread;
  snapshot: Spread;
  /** Characters of a snapshot. */
  characters: number;
}

export interface ContenderFigures {
  name: string;
  version: string;
  pages: Record<PageName, PageFigures>;
}

export interface PagesFigures {
  /** Of the browser. */
  chromium: string;
  rounds: number;
  ours: ContenderFigures;
  /** Snapshots in the page alone. */
  within: Record<PageName, Spread>;
  peers: ContenderFigures[];
}

/** Before anything is timed, on each page. */
const WARM = 5;
/** The same for snapshots, which are short: before so many, what is measured is code that no engine has compiled yet. */
const WARM_SNAPSHOTS = 60;

/**
 * Snapshots and clicks of Tabloom and, where a folder with their packages is named, of others, in turns: a round of one, a round of the next.
 * @param names the pages; figures of others are left out
 * @throws Error where a click has not arrived on the page, or anything fails
 */
export async function measurePages(
  peersFolder: string | undefined,
  rounds = 40,
  names = PAGE_NAMES,
): Promise<PagesFigures> {
  const site = await startSite();
  const open: Contender[] = [];
  try {
    const ours = await startOurs(site);
    open.push(ours);
    if (peersFolder !== undefined) open.push(...(await startPeers(peersFolder)));
    const all = open.map((one) => ({ one, pages: {} as Record<PageName, PageFigures> }));
    const within = {} as Record<PageName, Spread>;
    for (const name of names) {
      for (const { one } of all) await one.navigate(site.url(name));
      for (const { one } of all) for (let n = 0; n < WARM_SNAPSHOTS; n++) await one.snapshot();
      const snapshot = await inTurns(open, rounds, async (one) => void (await one.snapshot()));
      const buttons = new Map<Contender, Button>();
      for (const { one } of all) {
        const button = await findButton(one, name);
        buttons.set(one, button);
        for (let n = 0; n < WARM; n++) await one.click(button.ref);
      }
      const click = await inTurns(open, rounds, (one) => one.click((buttons.get(one) as Button).ref));
      for (const { one, pages } of all) {
        await arrived(one, name, WARM + rounds);
        pages[name] = {
          click: spread(click.get(one) ?? []),
          snapshot: spread(snapshot.get(one) ?? []),
          characters: (buttons.get(one) as Button).characters,
        };
      }
      within[name] = spread(await ours.snapshotsWithin(rounds));
    }
    const [mine, ...others] = all.map(({ one, pages }) => ({ name: one.name, version: one.version, pages }));
    return { chromium: ours.version, rounds, ours: mine as ContenderFigures, within, peers: others };
  } finally {
    for (const one of open) await one.close().catch(() => undefined);
    site.close();
  }
}

interface Button {
  ref: string;
  /** Of the snapshot that it is from: some servers know refs of the newest one only. */
  characters: number;
}

async function findButton(one: Contender, page: PageName): Promise<Button> {
  const text = await one.snapshot();
  const ref = one.ref.exec(text)?.[1];
  if (ref === undefined) throw new Error(`${one.name}: the snapshot of the ${page} names no button "Count".`);
  return { ref, characters: text.length };
}

async function arrived(one: Contender, page: PageName, wanted: number): Promise<void> {
  const heard = await one.clicks();
  if (heard !== wanted) throw new Error(`${one.name}: of ${wanted} clicks on the ${page}, ${String(heard)} arrived.`);
}

/** Milliseconds that each takes, by who it was; each after the other in every round. */
async function inTurns(
  open: readonly Contender[],
  rounds: number,
  work: (one: Contender) => Promise<void>,
): Promise<Map<Contender, number[]>> {
  const times = new Map<Contender, number[]>(open.map((one) => [one, []]));
  for (let round = 0; round < rounds; round++) {
    for (const one of open) {
      const start = performance.now();
      await work(one);
      times.get(one)?.push(performance.now() - start);
    }
  }
  return times;
}

function spread(times: readonly number[]): Spread {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] as number;
  return { median: at(0.5), p95: at(0.95) };
}
