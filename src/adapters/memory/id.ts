const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** Writes 16 bytes (128 bits) as 26 characters of lower-case base32: safe in URLs, file names and on a command line. */
export function idOfBytes(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = ((held & 0x1f) << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(held >> bits) & 31];
    }
  }
  return bits > 0 ? text + ALPHABET[(held << (5 - bits)) & 31] : text;
}
