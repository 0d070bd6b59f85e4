import { randomOf } from './random.ts';

/**
 * Long matrices of one scenario: `npm test` does a sample of each, chosen by a seed that it prints; `npm run matrices` does them whole.
 * `TABLOOM_MATRIX` is the seed, or `all`. Set here before Playwright starts its workers, so that all of them choose the same.
 */
process.env.TABLOOM_MATRIX ??= String(Math.floor(Math.random() * 1000));
const SEED = process.env.TABLOOM_MATRIX;

/**
 * Some cells of a matrix, in their order; all of them where that is asked for.
 * @param name what is printed before the choice
 * @param nameOf what a cell is called there
 */
export function sampleOf<T>(name: string, cells: readonly T[], count: number, nameOf: (cell: T) => string): T[] {
  const chosen = SEED === 'all' ? new Set(cells.keys()) : choose(cells.length, count);
  const sample = cells.filter((_, place) => chosen.has(place));
  // Once, and not by each worker again.
  if (process.env.TEST_WORKER_INDEX === undefined)
    console.log(
      `matrix: ${name}, ${sample.length} of ${cells.length} (TABLOOM_MATRIX=${SEED}): ${sample.map(nameOf).join('; ')}`,
    );
  return sample;
}

function choose(of: number, count: number): Set<number> {
  const random = randomOf(Number(SEED));
  const places = Array.from({ length: of }, (_, place) => ({ place, at: random() }));
  return new Set(
    places
      .sort((a, b) => a.at - b.at)
      .slice(0, count)
      .map(({ place }) => place),
  );
}
