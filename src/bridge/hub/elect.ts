import { chmod, open, readFile, rm, stat } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Home } from '../home.ts';

/** A process that takes over a dead hub's socket holds the lock for milliseconds; one that is older has died with it. */
const LOCK_STALE_MS = 10_000;
const PATIENCE_MS = 15_000;

/**
 * Has a server listen on the hub's socket, if no hub does. The socket itself is the election: only one process can listen on it. The file
 * of a hub that has died is in the way, and is removed under a lock, so that nobody removes a file that a new hub has just made.
 * @returns false when a living hub has it
 * @throws Error when the socket cannot be had for another reason
 */
export async function becomeHub(server: Server, home: Home): Promise<boolean> {
  if (process.platform === 'win32') return listen(server, home.socket);
  const lock = join(home.run, 'hub.lock');
  const until = Date.now() + PATIENCE_MS;
  while (!(await takeLock(lock))) {
    if (await answers(home.socket)) return false;
    if (Date.now() > until) throw new Error(`Remove ${lock}: a hub that was starting has left it.`);
    await sleep(20);
  }
  try {
    if (await answers(home.socket)) return false;
    await rm(home.socket, { force: true });
    const won = await listen(server, home.socket);
    if (won) await chmod(home.socket, 0o600);
    return won;
  } finally {
    await rm(lock, { force: true });
  }
}

/** Whether somebody listens there. */
export function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const attempt = connect(socket);
    attempt.once('connect', () => {
      attempt.destroy();
      resolve(true);
    });
    attempt.once('error', () => resolve(false));
  });
}

async function takeLock(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600);
    await file.writeFile(String(process.pid));
    await file.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const [age, pid] = await Promise.all([
    stat(path).then(({ mtimeMs }) => Date.now() - mtimeMs),
    readFile(path, 'utf8').then(Number),
  ]).catch(() => [0, process.pid]);
  if ((age as number) > LOCK_STALE_MS && !isAlive(pid as number)) await rm(path, { force: true });
  return false;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function listen(server: Server, path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => {
      server.off('listening', done);
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    };
    const done = () => {
      server.off('error', failed);
      resolve(true);
    };
    server.once('error', failed);
    server.once('listening', done);
    server.listen(path);
  });
}
