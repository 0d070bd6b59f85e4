import { createHash } from 'node:crypto';
import { lstat, mkdir } from 'node:fs/promises';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/** Where the hub of this OS user lives. */
export interface Home {
  /** Folder of what lasts: pairings. */
  state: string;
  /** Folder of the socket; only of POSIX systems. */
  run: string;
  /** Address of the hub's socket: a path, or a named pipe on Windows. */
  socket: string;
  pairings: string;
  log: string;
}

/** Longest path of a Unix socket, bytes, on every system: 104 with the closing zero on macOS, 108 on Linux (man 7 unix). */
const SOCKET_PATH_MAX = 103;

/**
 * Folders by the system's own customs; `TABLOOM_HOME` names one folder for all of it, for tests and for people who want a second hub.
 * Nothing is made.
 */
export function homeOf(env: NodeJS.ProcessEnv = process.env, platform = process.platform): Home {
  const own = env.TABLOOM_HOME;
  const state = own ?? stateFolder(env, platform);
  const run = own ?? runFolder(env, platform);
  return {
    state,
    run,
    socket: platform === 'win32' ? `\\\\.\\pipe\\tabloom-${digest(own ?? userInfo().username)}` : socketIn(run),
    pairings: join(state, 'pairings.json'),
    log: join(state, 'hub.log'),
  };
}

/**
 * Makes the folders, for nobody but their owner.
 * @throws Error when another user owns one, or others may write to it: a socket there could be anybody's
 */
export async function makeHome(home: Home): Promise<void> {
  for (const folder of new Set([home.state, home.run])) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (process.platform === 'win32') continue;
    const found = await lstat(folder);
    const mine = found.isDirectory() && found.uid === process.getuid?.();
    if (!mine || (found.mode & 0o022) !== 0)
      throw new Error(
        `Make the folder ${folder} yours alone (chown, chmod 700), or name another in TABLOOM_HOME: others can write to it.`,
      );
  }
}

function stateFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'Tabloom');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Tabloom');
  return join(env.XDG_STATE_HOME ?? join(homedir(), '.local', 'state'), 'tabloom');
}

function runFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (platform === 'win32') return stateFolder(env, platform);
  return env.XDG_RUNTIME_DIR ? join(env.XDG_RUNTIME_DIR, 'tabloom') : join(tmpdir(), `tabloom-${process.getuid?.()}`);
}

/** A long folder gets a short name for its socket, in the folder for temporary files. */
function socketIn(folder: string): string {
  const path = join(folder, 'hub.sock');
  return Buffer.byteLength(path) <= SOCKET_PATH_MAX ? path : join(tmpdir(), `tabloom-${digest(folder)}.sock`);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
