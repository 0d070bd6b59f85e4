import { TabloomError } from '../../model/errors.ts';
import type { App, Handlers } from '../app.ts';

/** Messages between contexts end at 64 MB in Chromium; base64 takes a third more than the bytes. */
const LARGEST = 40 * 1024 * 1024;
/** `String.fromCharCode` takes its characters as arguments, of which there is a most. Divisible by three, so that pieces can be joined. */
const PIECE = 0x6000;

/** Kept files and large values. */
export function artifactHandlers({ store }: App): Pick<Handlers, 'artifact.get' | 'blob.get'> {
  return {
    /** @throws TabloomError `output_too_large` for a file that no message can carry */
    async 'artifact.get'({ artifactId }) {
      const found = await store.artifact(artifactId);
      if (!found) return null;
      if (found.bytes.length > LARGEST) {
        throw new TabloomError(
          'output_too_large',
          `${found.row.name} is too large to be handed to a page (${found.bytes.length} bytes).`,
        );
      }
      return { row: found.row, base64: toBase64(found.bytes) };
    },
    async 'blob.get'({ hash }) {
      const text = await store.blob(hash);
      return text === undefined ? null : { text };
    },
  };
}

/** Base64 of bytes. `Uint8Array.toBase64` is newer than the oldest browsers we run in. */
export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE) text += btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE)));
  return text;
}
