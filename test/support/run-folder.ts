import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../src/cli/browser/page.ts';

/**
 * One folder for all that a run of the browser tests writes: profiles, copies of builds, what the workers share. It is in memory where
 * there is room, since a fresh profile is some hundred files whose every write Chromium waits for: a launch takes a quarter less.
 */

/** Names the folder to the workers and to every program that they start. */
const VARIABLE = 'TABLOOM_TEST_FOLDER';
const PREFIX = 'tabloom-tests-';
const IN_MEMORY = '/dev/shm';
/** With less free, Chromium itself keeps away from it. Bytes. */
const ROOM = 6 * 1024 ** 3;

/**
 * Makes the folder, and the place for temporary files in it, unless this run has one. The runner's configuration calls it first, so that all
 * of its workers have the same.
 */
export function openRunFolder(): void {
  if (process.env[VARIABLE] !== undefined) return;
  const place = hasRoom(IN_MEMORY) ? IN_MEMORY : tmpdir();
  removeLeft(place);
  const folder = mkdtempSync(join(place, `${PREFIX}${process.pid}-`));
  process.env[VARIABLE] = folder;
  // Where the runner, which began before, has what it compiled: its workers would look in the new place and compile all of it again.
  const compiled = `playwright-transform-cache-${process.geteuid?.()}`;
  process.env.PLAYWRIGHT_TRANSFORM_CACHE_DIR ??= join(tmpdir(), compiled);
  process.env.TMPDIR = join(folder, 'tmp');
  mkdirSync(process.env.TMPDIR);
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
}

/**
 * A folder that is made once in a run, by whichever worker wants it first.
 * @param name of the folder: what is in it must follow from the name alone
 * @param make fills a folder that is empty
 * @returns its path; what is in it must not be changed
 * @throws what `make` throws, in the worker that made it; the others try themselves
 */
export async function madeOnce(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  openRunFolder();
  const shared = join(process.env[VARIABLE] as string, 'shared');
  await mkdir(shared, { recursive: true });
  const place = join(shared, name);
  const lock = `${place}.lock`;
  for (;;) {
    await until(
      async () => existsSync(place) || take(lock),
      () => new Error(`${place} is not made.`),
      180_000,
    );
    if (existsSync(place)) return place;
    // Moved as a whole: what has the name is complete.
    const aside = await mkdtemp(`${place}.part-`);
    try {
      await make(aside);
      await rename(aside, place).catch((error: unknown) => {
        // Two have found a dead owner's lock at once: either's is as good.
        if (!existsSync(place)) throw error;
      });
    } finally {
      await rm(aside, { recursive: true, force: true });
      rmSync(lock, { force: true });
    }
  }
}

/** Whether the lock is ours now. One whose owner is dead is nobody's. */
function take(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    const owner = readOr(lock);
    if (owner && !isAlive(Number(owner))) rmSync(lock, { force: true });
    return false;
  }
}

function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function hasRoom(place: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(place);
    return bavail * bsize >= ROOM;
  } catch {
    return false;
  }
}

/** What runs left that were ended at once: in memory it would stay until the next start of the machine. */
function removeLeft(place: string): void {
  for (const name of readdirSync(place)) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split('-')[0]) : Number.NaN;
    if (pid > 0 && !isAlive(pid)) rmSync(join(place, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
