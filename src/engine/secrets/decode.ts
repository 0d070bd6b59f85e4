import { kindOf, LOWER, UPPER } from './chars.ts';

/** Bytes of a stretch in base64 or base64url without padding, as code units. Characters that are neither count as zero. */
export function decode64(codes: Uint16Array, start: number, end: number): Uint16Array {
  const bytes = new Uint16Array(Math.floor(((end - start) * 3) / 4));
  let write = 0;
  let bits = 0;
  let held = 0;
  for (let i = start; i < end; i += 1) {
    bits = ((bits << 6) | sextet(codes[i] as number)) & 0xffff;
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes[write] = (bits >> held) & 0xff;
      write += 1;
    }
  }
  return bytes;
}

function sextet(code: number): number {
  const kind = kindOf(code);
  if ((kind & UPPER) !== 0) return code - 65;
  if ((kind & LOWER) !== 0) return code - 71;
  if (code >= 48 && code <= 57) return code + 4;
  return code === 43 || code === 45 ? 62 : code === 47 || code === 95 ? 63 : 0;
}
