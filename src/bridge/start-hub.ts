import { spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { type Home, makeHome } from './home.ts';

/**
 * Starts the hub as a process of its own, which outlives this one. Whether another was faster does not matter: only one becomes the hub.
 * @param program arguments after Node's own that start the hub
 */
export async function startHubProcess(home: Home, program: readonly string[]): Promise<void> {
  await makeHome(home);
  const log = await open(home.log, 'a', 0o600);
  try {
    const child = spawn(process.execPath, [...process.execArgv, ...program], {
      detached: true,
      stdio: ['ignore', 'ignore', log.fd],
      cwd: home.state,
      windowsHide: true,
    });
    child.once('error', () => undefined);
    child.unref();
  } finally {
    await log.close();
  }
}
