import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Says whether a file can be run as a program. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Says whether a program of that name is on the PATH. */
export function onPath(name: string, env: NodeJS.ProcessEnv = process.env): boolean {
  return (env.PATH ?? '').split(delimiter).some((folder) => folder !== '' && isExecutable(join(folder, name)));
}

/** Says whether {@link aptInstall} may be used: we are root on a Debian-like system. */
export function canAptInstall(): boolean {
  return process.getuid?.() === 0 && onPath('apt-get');
}

/**
 * Installs Debian packages without a question.
 * @param say is told in one line what is being installed.
 * @returns true when apt said it worked.
 */
export function aptInstall(packages: readonly string[], say: (line: string) => void): boolean {
  say(`Installing ${packages.join(', ')} with apt-get …`);
  const apt = (...args: string[]) =>
    spawnSync('apt-get', ['-qq', ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0;
  const install = () => apt('install', '-y', '--no-install-recommends', ...packages);
  // A fresh container has no package lists; an up-to-date machine need not fetch them again.
  return install() || (apt('update') && install());
}
