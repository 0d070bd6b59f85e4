// @ts-check
/**
 * What has to be there before anything of ours can run: the packages, and a Node that runs TypeScript. Plain JavaScript
 * for Node 20.19 and later, without imports from packages.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of package.json. */
export const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');

/** A failure with one sentence for the person. */
export class ToolchainError extends Error {}

/**
 * Runs `npm ci` unless what is installed is what the lock file says.
 * @throws {ToolchainError} when it fails.
 */
export function ensurePackages() {
  if (packagesAreFresh()) return;
  console.error('Installing packages with npm ci …');
  const { status } = spawnSync(
    'npm',
    ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: ROOT,
      // npm's own output goes to stderr: stdout belongs to the command.
      stdio: ['ignore', 2, 2],
      shell: process.platform === 'win32',
    },
  );
  if (status !== 0) throw new ToolchainError('npm ci failed (see above): check the network and run the command again.');
}

/**
 * Compares npm's own record of what it installed, written last and only when all went well, with the lock file. Unlike
 * times of files it survives a copy, a checkout and an interrupted install.
 */
function packagesAreFresh() {
  const wanted = readLock(join(ROOT, 'package-lock.json'));
  const installed = readLock(join(ROOT, 'node_modules', '.package-lock.json'));
  if (!wanted || !installed) return false;
  const same = Object.entries(installed).every(([path, entry]) => wanted[path]?.version === entry.version);
  const complete = Object.entries(wanted).every(([path, entry]) => path === '' || entry.optional || path in installed);
  return same && complete;
}

/**
 * @param {string} path
 * @returns {Record<string, { version?: string, optional?: boolean }> | undefined}
 */
function readLock(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/**
 * Finds a Node that runs TypeScript as it is: our own process, else the one that came with the packages.
 * @returns {string} its path
 * @throws {ToolchainError} when there is none, or our sources lie where no Node runs TypeScript.
 */
export function findNode() {
  // Node strips no types below node_modules, and what is packed has no JavaScript of its own yet.
  if (ROOT.split(/[\\/]/).includes('node_modules'))
    throw new ToolchainError('Tabloom cannot run as an installed package yet: clone its repository and call it there.');
  if (runsTypeScript(process.versions.node)) return process.execPath;
  const modules = join(ROOT, 'node_modules');
  for (const name of list(modules).filter((entry) => /^node-(bin-)?(darwin|linux|win)-/.test(entry))) {
    const version = readVersion(join(modules, name, 'package.json'));
    const program = join(modules, name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    if (version && runsTypeScript(version) && existsSync(program)) return program;
  }
  throw new ToolchainError(
    `Tabloom needs Node 22.18 or later and this is ${process.versions.node}: install a newer Node from https://nodejs.org.`,
  );
}

/** @param {string} version */
function runsTypeScript(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major >= 24 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18);
}

/** @param {string} path */
function readVersion(path) {
  try {
    return String(JSON.parse(readFileSync(path, 'utf8')).version);
  } catch {
    return undefined;
  }
}

/** @param {string} path */
function list(path) {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/**
 * Runs a script with a given Node in our terminal and waits for its end.
 * @param {string} node
 * @param {string} script path from the root of the repository
 * @param {readonly string[]} [args]
 * @returns {Promise<number>} its exit status; 128 + n where signal n ended it
 */
export function runScript(node, script, args = []) {
  const path = [dirname(node), join(ROOT, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
  const child = spawn(node, [join(ROOT, script), ...args], { stdio: 'inherit', env: { ...process.env, PATH: path } });
  // The terminal tells the child of Ctrl+C as well; we stay until it has cleaned up.
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => {
      if (signal !== 'SIGINT') child.kill(signal);
    });
  }
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('exit', (code, signal) => done(code ?? (signal === 'SIGINT' ? 130 : 143)));
  });
}

/**
 * Runs the body of a program: its result is the exit status, a {@link ToolchainError} is one sentence on stderr.
 * @param {() => Promise<number>} body
 */
export async function main(body) {
  try {
    process.exitCode = await body();
  } catch (error) {
    if (!(error instanceof ToolchainError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
