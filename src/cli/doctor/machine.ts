import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { type Check, fail, ok, warn } from '../../view/doctor/check.ts';
import { compareVersions } from '../../view/doctor/judge-itself.ts';
import { buildDir, buildState } from '../browser/build.ts';
import { requireChromium } from '../browser/find.ts';

/** The oldest Node that runs TypeScript as it is. */
const OLDEST_NODE = '22.18.0';

export function checkNode(version = process.versions.node): Check {
  return compareVersions(version, OLDEST_NODE) < 0
    ? fail('node', `Node ${version} is too old: ${OLDEST_NODE} or later is needed.`, 'Install a newer Node.')
    : ok('node', `Node ${version} is new enough (needs ${OLDEST_NODE}).`);
}

/** Whether there is a build, and whether it is one of the present sources. */
export function checkBuild(state = buildState('chrome'), dir = buildDir('chrome')): Check {
  switch (state) {
    case 'missing':
      return fail('build', `There is no built extension in ${dir}.`, 'Build it with npm run build.');
    case 'stale':
      return warn('build', `The extension in ${dir} is older than its sources.`, 'Build it again with npm run build.');
    case 'fresh':
      return ok('build', `The extension in ${dir} is built from the present sources.`);
  }
}

/** What Chromium there is, and whether it is new enough. Never a branded Google Chrome: that ignores the switch that loads an extension. */
export function checkChromium(
  env: NodeJS.ProcessEnv = process.env,
  manifest = join(buildDir('chrome'), 'manifest.json'),
): { check: Check; path?: string } {
  let path: string;
  try {
    path = requireChromium(env).path;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [what = message, todo] = message.split(': ', 2);
    return {
      check: fail('chromium', `${what}.`, todo ? sentence(todo) : 'Set TABLOOM_CHROMIUM to the path of a Chromium.'),
    };
  }
  const version = versionOf(path);
  if (version === undefined)
    return {
      check: warn(
        'chromium',
        `Chromium at ${path} does not say its version.`,
        'If it does not start below, set TABLOOM_CHROMIUM to another one.',
      ),
      path,
    };
  const oldest = oldestChromium(manifest);
  if (oldest !== undefined && compareVersions(version, oldest) < 0)
    return {
      check: fail('chromium', `Chromium ${version} at ${path} is too old: ${oldest} or later is needed.`, 'Update it.'),
      path,
    };
  return { check: ok('chromium', `Chromium ${version} at ${path}.`), path };
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.?$/, '.')}`;

/** What `--version` says. On Windows that would open a window, so there it is not asked; the browser itself says it below. */
function versionOf(path: string): string | undefined {
  if (process.platform === 'win32') return undefined;
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 20_000, killSignal: 'SIGKILL' });
  return /\d+(\.\d+)+/.exec(stdout ?? '')?.[0];
}

function oldestChromium(manifest: string): string | undefined {
  try {
    const { minimum_chrome_version } = JSON.parse(readFileSync(manifest, 'utf8')) as {
      minimum_chrome_version?: string;
    };
    return minimum_chrome_version;
  } catch {
    return undefined;
  }
}

export function checkDisplay(displayed: boolean, headless: boolean): Check {
  if (headless && displayed) return ok('display', 'There is a display, and the browser runs without a window.');
  return displayed
    ? ok('display', 'There is a display.')
    : ok('display', 'There is no display: browsers run without a window, where no permission prompt can be answered.');
}

/**
 * Whether a profile can be used: it is there, it is a folder, and no other browser has it open.
 * @param dir absent for a temporary one
 */
export function checkProfile(dir: string | undefined): Check {
  if (dir === undefined)
    return ok(
      'profile',
      'A fresh, temporary profile: what is said below is not about your own; name that by --profile.',
    );
  const path = resolve(dir);
  if (!existsSync(path) || !statSync(path).isDirectory())
    return fail(
      'profile',
      `There is no profile folder ${path}.`,
      'Correct --profile, or run a workflow with it first.',
    );
  const holder = lockHolder(path);
  return holder === undefined
    ? ok('profile', `The profile in ${path} is not open in another browser.`)
    : fail('profile', `The profile in ${path} is open in another browser (${holder}).`, 'Close that browser first.');
}

/**
 * Who has a profile open: Chromium keeps a link named after its computer and process in it (Linux, macOS). One whose process is gone was
 * left by a crash, and Chromium itself takes it away.
 */
export function lockHolder(profileDir: string): string | undefined {
  let link: string;
  try {
    link = readlinkSync(join(profileDir, 'SingletonLock'));
  } catch {
    return undefined;
  }
  const dash = link.lastIndexOf('-');
  const [host, pid] = [link.slice(0, dash), Number(link.slice(dash + 1))];
  if (host !== hostname()) return `on the computer ${host}`;
  return Number.isInteger(pid) && pid > 0 && lives(pid) ? `process ${pid}` : undefined;
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is there and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether a program here can be reached by a port of 127.0.0.1: the demo's site and stand-in need it, and local models. */
export async function checkLoopback(): Promise<Check> {
  const server = createServer((socket) => socket.end());
  try {
    const port = await new Promise<number>((done, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        done(typeof address === 'object' && address ? address.port : 0);
      });
    });
    await new Promise<void>((done, reject) => {
      const socket = connect({ port, host: '127.0.0.1', timeout: 5000 });
      socket.once('connect', () => {
        socket.destroy();
        done();
      });
      socket.once('timeout', () => reject(new Error('no connection in 5 s')));
      socket.once('error', reject);
    });
    return ok('loopback', 'Ports of 127.0.0.1 can be opened and reached.');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return fail(
      'loopback',
      `Ports of 127.0.0.1 cannot be used (${why}).`,
      'Allow local connections in the firewall or sandbox; the demo and local models need them.',
    );
  } finally {
    server.close();
  }
}
