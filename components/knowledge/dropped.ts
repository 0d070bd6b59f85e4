import type { NamedFile } from './read.ts';

/** Most files of a folder. */
const MOST = 5000;

/** Files that were chosen, with the path in their folder. Those whose path has a part that begins with a dot are left out, as tools hide them. */
export function chosenFiles(list: FileList | null): NamedFile[] {
  return [...(list ?? [])]
    .map((file) => ({ name: file.webkitRelativePath || file.name, file }))
    .filter(({ name }) => !hidden(name))
    .slice(0, MOST);
}

/**
 * Files that were dropped, those in folders too. Call it inside the event: what was dropped is gone after it.
 */
export function droppedFiles(transfer: DataTransfer): Promise<NamedFile[]> {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry?.() ?? []);
  if (entries.length === 0) return Promise.resolve(chosenFiles(transfer.files));
  const found: NamedFile[] = [];
  return walk(entries, found).then(() => found);
}

async function walk(entries: readonly FileSystemEntry[], found: NamedFile[]): Promise<void> {
  for (const entry of entries) {
    const name = entry.fullPath.replace(/^\//, '');
    if (found.length >= MOST || hidden(name)) continue;
    if (entry.isFile) found.push({ name, file: await fileOf(entry as FileSystemFileEntry) });
    else await walk(await childrenOf(entry as FileSystemDirectoryEntry), found);
  }
}

const hidden = (name: string): boolean => name.split('/').some((part) => part.startsWith('.'));

function fileOf(entry: FileSystemFileEntry): Promise<Blob> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** A folder gives what is in it in parts, until there is nothing more. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0) return all;
    all.push(...part);
  }
}
