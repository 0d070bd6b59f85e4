import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Folder inside a profile that holds the builds it has run, each under the hash of its files. */
const FOLDER = 'Tabloom Extension';

/** How long a build that is being written is waited for, milliseconds. */
const BUILD_MS = 60_000;

/** Files of a build by their path in it, parts joined by `/`. */
type Files = Map<string, Buffer>;

/**
 * Puts a copy of a built extension into the profile, for the browser to run from: a rebuild would otherwise take files away under a
 * running one (the page script is read at each injection). The copy's name is the hash of its files, so the same build is always at the
 * same path, and a build is never changed under a browser that runs it. The extension's id, storage and grants hang on the manifest's key
 * and not on the path.
 * @returns the folder to load.
 * A build that another process is writing just now is waited for.
 * @throws Error when `extensionDir` holds no whole build in `patienceMs`.
 */
export async function placeCopy(profileDir: string, extensionDir: string, patienceMs = BUILD_MS): Promise<string> {
  const files = await readWhole(extensionDir, patienceMs);
  const place = join(profileDir, FOLDER, hashOf(files));
  if ((await names(place)).length > 0) return place;
  // Written aside and moved as a whole: what has the name is complete, also after a power cut in between.
  const aside = `${place}.${randomUUID().slice(0, 8)}.part`;
  for (const [name, content] of files) {
    const file = join(aside, ...name.split('/'));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  try {
    await rename(aside, place);
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    // Another launch was faster with the same copy.
    if ((await names(place)).length === 0) throw error;
  }
  return place;
}

/** Removes the other builds from the profile. Only for whoever has the profile: a browser may be running from one of them. */
export async function dropOtherCopies(profileDir: string, kept: string): Promise<void> {
  for (const name of await names(join(profileDir, FOLDER))) {
    const place = join(profileDir, FOLDER, name);
    if (place !== kept) await rm(place, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Reads a build that does not change meanwhile. The bundler empties the folder first and writes the manifest last. */
async function readWhole(dir: string, patienceMs: number): Promise<Files> {
  const end = Date.now() + patienceMs;
  for (;;) {
    const before = await listing(dir);
    const files: Files = new Map();
    for (const name of before.keys()) files.set(name, await readFile(join(dir, name)).catch(() => Buffer.alloc(0)));
    const after = await listing(dir);
    const still = before.size === after.size && [...before].every(([name, state]) => after.get(name) === state);
    if (still && files.has('manifest.json')) return files;
    if (Date.now() >= end) throw new Error(`${dir} holds no whole extension`);
    await sleep(200);
  }
}

/** Names, sizes and times of all files below a folder. */
async function listing(dir: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const walk = async (prefix: string): Promise<void> => {
    for (const entry of await readdir(join(dir, prefix), { withFileTypes: true }).catch(() => [])) {
      const name = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
      if (entry.isDirectory()) await walk(name);
      const state = entry.isFile() && (await stat(join(dir, name)).catch(() => undefined));
      if (state) found.set(name, `${state.size} ${state.mtimeMs}`);
    }
  };
  await walk('');
  return found;
}

function hashOf(files: Files): string {
  const hash = createHash('sha256');
  for (const name of [...files.keys()].sort())
    hash
      .update(`${name}\0`)
      .update(files.get(name) as Buffer)
      .update('\0');
  return hash.digest('hex').slice(0, 16);
}

async function names(dir: string): Promise<string[]> {
  return readdir(dir).catch(() => []);
}
