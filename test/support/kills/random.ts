/** Numbers in [0, 1), the same for the same seed (mulberry32). */
export type Draw = () => number;

export function drawOf(seed: number): Draw {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A seed of its own for each part, so that what one part draws does not shift the others. */
export function seedFor(seed: number, part: string): number {
  let mixed = seed | 0;
  for (const character of part) mixed = Math.imul(mixed ^ (character.codePointAt(0) ?? 0), 16_777_619);
  return mixed;
}

export function shuffled<T>(list: readonly T[], draw: Draw): T[] {
  return list
    .map((item) => ({ item, place: draw() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
