import { TabloomError } from '../../../model/errors.ts';
import type { PageFile } from '../../../ports/pages.ts';
import type { Acting, Driver } from '../acting.ts';
import { asError, makeRequest } from '../ask.ts';
import type { Place } from '../page-scripts.ts';
import { MOST_BYTES, PART_BYTES, tooLarge } from './limit.ts';

/** Brings files into a page, under a key. @returns false where that document is gone */
export async function bringFiles(
  driver: Driver,
  acting: Acting,
  place: Place,
  origin: string,
  key: string,
  files: readonly PageFile[],
): Promise<boolean> {
  for (const [file, { bytes }] of files.entries()) {
    for (let at = 0; at < bytes.length || at === 0; at += PART_BYTES) {
      const args = { key, file, data: toBase64(bytes.subarray(at, at + PART_BYTES)) };
      const asked = await driver.scripts.ask(place, makeRequest('stage', args, 0, origin), acting.time);
      if (asked.gone) return false;
      if (!asked.reply.ok) throw asError(asked.reply.error);
    }
  }
  return true;
}

/**
 * Takes a file that a page offers out of it.
 * @throws TabloomError `output_too_large`; `download_failed` where the page has gone with it
 */
export async function takeFile(
  driver: Driver,
  acting: Acting,
  place: Place,
  origin: string,
  { key, size }: { key: string; size: number },
): Promise<Uint8Array> {
  if (size > MOST_BYTES) throw tooLarge(size);
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += PART_BYTES) {
    const args = { key, at, size: PART_BYTES };
    const asked = await driver.scripts.ask(place, makeRequest('read_file', args, 0, origin), acting.time);
    if (asked.gone)
      throw new TabloomError('download_failed', 'Try again: the page went away before its file was read.');
    if (!asked.reply.ok) throw asError(asked.reply.error);
    bytes.set(fromBase64(String(asked.reply.value)), at);
  }
  return bytes;
}

/** Bytes in one go would be more arguments than a call may have. */
const CHUNK = 0x8000;

function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(text);
}

/** Bytes of base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}
