import { type Draw, shuffled } from './random.ts';

/** What a shot waits for before it goes off. Where it lands is another matter. */
export type Aim = 'once' | 'model' | 'backoff' | 'person' | 'decide' | 'any';

export interface Shot {
  aim: Aim;
  /** From the moment that the aim shows, milliseconds. */
  delayMs: number;
  /** Further kills while the next lives boot: how far into the boot, as a part of the time that one takes. */
  chain: number[];
}

/** How many shots of each aim, and kills in mid-boot, one workload gets in a whole matrix of 200. */
export type Share = Record<Aim, number> & { boots: number };

export const SHARES: readonly Share[] = [
  { once: 12, model: 10, backoff: 4, person: 5, decide: 2, any: 6, boots: 9 },
  { once: 10, model: 8, backoff: 16, person: 0, decide: 0, any: 7, boots: 11 },
  { once: 10, model: 10, backoff: 10, person: 0, decide: 0, any: 5, boots: 10 },
  { once: 8, model: 0, backoff: 0, person: 27, decide: 8, any: 5, boots: 7 },
];
const WHOLE = 200;

/** Longest delays after the aim shows, milliseconds. */
const DELAY: Record<Aim, number> = { once: 250, model: 250, backoff: 400, person: 200, decide: 15, any: 900 };

/** The shots at one workload, in the order in which they are tried: a seed gives the same ones. */
export function shotsFor(share: Share, kills: number, draw: Draw): Shot[] {
  const scaled = (count: number): number => Math.round((count * kills) / WHOLE);
  const shots: Shot[] = [];
  for (const [aim, longest] of Object.entries(DELAY) as [Aim, number][])
    for (let left = scaled(share[aim]); left > 0; left--) shots.push({ aim, delayMs: draw() * longest, chain: [] });
  const mixed = shuffled(shots, draw);
  // Only a run that has something under way has anything to recover.
  const active = mixed.filter(({ aim }) => aim === 'once' || aim === 'model' || aim === 'backoff');
  for (let left = scaled(share.boots); left > 0; left--) {
    const shot = active[Math.floor(draw() * active.length)];
    shot?.chain.push(draw() * 0.5);
  }
  return mixed;
}
