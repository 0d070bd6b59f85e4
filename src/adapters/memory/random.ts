import type { Random } from '../../ports/index.ts';
import { idOfBytes } from './id.ts';

/**
 * Randomness that is the same for the same seed (the generator *sfc32*), for tests and repeatable runs. Never for keys or tokens.
 */
export function seededRandom(seed: number | string): Random {
  let [a, b, c, d] = spread(String(seed));

  function word(): number {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return sum >>> 0;
  }

  // The first words still resemble the seed.
  for (let i = 0; i < 15; i++) word();

  return {
    next: () => ((word() >>> 5) * 67_108_864 + (word() >>> 6)) / 9_007_199_254_740_992,
    id() {
      const words = new Uint32Array([word(), word(), word(), word()]);
      return idOfBytes(new Uint8Array(words.buffer));
    },
  };
}

/** Four words out of a text (FNV-1a with four starting values), so that near seeds give unlike sequences. */
function spread(text: string): [number, number, number, number] {
  const hash = (start: number): number => {
    let value = start;
    for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
    return value | 0;
  };
  return [hash(0x811c9dc5), hash(0x9e3779b9), hash(0x243f6a88), hash(0xb7e15162)];
}
