import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const RESULTS = join(ROOT, 'test-results', 'gate');

/** No program of the gate may hang for ever. */
const LIMIT_MS = 60 * 60_000;

export interface Ended {
  status: number;
  stdout: string;
  /** Stdout and stderr as they came. */
  output: string;
}

/** Runs a script on our own Node, without a terminal, and collects what it prints. */
export function node(script: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return program(process.execPath, [join(ROOT, script), ...args], env);
}

/** Runs a script of package.json as a person does. */
export function npmRun(script: string): Promise<Ended> {
  return program('npm', ['run', '--silent', script], {});
}

function program(name: string, args: string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  const child = spawn(name, args, {
    cwd: ROOT,
    env: { ...process.env, CI: '1', NO_COLOR: '1', FORCE_COLOR: undefined, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
    // There npm is a script of the shell.
    shell: name === 'npm' && process.platform === 'win32',
  });
  let stdout = '';
  let output = '';
  child.stdout.on('data', (data: Buffer) => {
    stdout += data;
    output += data;
  });
  child.stderr.on('data', (data: Buffer) => {
    output += data;
  });
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', (code, signal) => {
      if (signal) output += `\n${[name, ...args].join(' ')} was ended by ${signal}.`;
      done({ status: code ?? 1, stdout, output });
    });
  });
}

/** Path of a report that a runner shall write; an older one is removed. */
export function resultFile(name: string): string {
  mkdirSync(RESULTS, { recursive: true });
  const file = join(RESULTS, name);
  rmSync(file, { force: true });
  return file;
}

/** @throws Error with the runner's output when it left no report */
export function readReport<T>(file: string, output: string): T {
  if (!existsSync(file)) throw new Error(`the runner left no report:\n${output}`);
  return JSON.parse(readFileSync(file, 'utf8')) as T;
}
