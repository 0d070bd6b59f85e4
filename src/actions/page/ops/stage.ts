import { PageError } from '../env.ts';
import type { PageOpRun } from './define.ts';

/** Files on their way into the page, or out of it, in parts: a message between the extension and a page may only be so long. */

/** What has come in so far, by the act that it is for. The last act's only: what another one left behind is of no use. */
let incoming: { key: string; parts: Map<number, BlobPart[]> } | undefined;
/** What is to be taken out. */
const outgoing = new Map<string, Blob>();

/** Takes a part of a file in; args `{key, file, data}`, `file` counts from 0, `data` is base64. Parts come in order. */
export const stage: PageOpRun = ({ key, file, data }) => {
  if (incoming?.key !== key) incoming = undefined;
  incoming ??= { key: String(key), parts: new Map() };
  const into = incoming;
  const parts = into.parts.get(Number(file)) ?? [];
  parts.push(Uint8Array.from(atob(String(data)), (char) => char.charCodeAt(0)));
  into.parts.set(Number(file), parts);
  return { value: null };
};

/** @throws PageError `internal` when it was not brought here */
export function stagedFiles(key: string, files: { name: string; type: string; size: number }[]): File[] {
  const made = files.map(({ name, type }, index) => new File(incoming?.parts.get(index) ?? [], name, { type }));
  if (incoming?.key !== key || made.some((file, index) => file.size !== files[index]?.size))
    throw new PageError('internal', 'Try again: the files did not reach the page.');
  return made;
}

export function dropStaged(): void {
  incoming = undefined;
}

/** Keeps a file to be taken out. @returns what to ask for it by */
export function offer(blob: Blob): string {
  const key = `f${outgoing.size}`;
  outgoing.set(key, blob);
  return key;
}

/** Gives a part of a file; args `{key, at, size}` in bytes. The file is forgotten after its last part. */
export const readFile: PageOpRun = async ({ key, at, size }) => {
  const blob = outgoing.get(String(key));
  if (!blob) throw new PageError('internal', 'Try again: the page does not have the file any more.');
  const end = Number(at) + Number(size);
  const value = await toBase64(blob.slice(Number(at), end));
  if (end >= blob.size) outgoing.delete(String(key));
  return { value };
};

/** By an address of data: bytes of the page's own realm are closed to Firefox's content scripts. */
function toBase64(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,?/, ''));
    reader.onerror = () => reject(new PageError('internal', 'Try again: the page does not have the file any more.'));
    reader.readAsDataURL(blob);
  });
}
