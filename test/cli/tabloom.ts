import { type ChildProcess, spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import type { RunResult } from '../../src/cli/run/result.ts';

export const ROOT = resolve(import.meta.dirname, '../..');

/** A finished call of the command. */
export interface Ended {
  status: number;
  stdout: string;
  stderr: string;
}

/** A call of the command that is under way. */
export interface Called {
  process: ChildProcess;
  /** Standard error so far. */
  stderr(): string;
  ended: Promise<Ended>;
}

/** Calls `tabloom` as a person without a terminal would, with no keys in its environment. */
export function callTabloom(args: string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}): Called {
  const child = spawn(process.execPath, [join(ROOT, 'src/cli/main.ts'), ...args], {
    cwd: options.cwd,
    env: { ...process.env, OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '', NODE_OPTIONS: '', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data: Buffer) => {
    stdout += data;
  });
  child.stderr.on('data', (data: Buffer) => {
    stderr += data;
  });
  const ended = new Promise<Ended>((done, fail) => {
    child.once('error', fail);
    child.once('close', (code) => done({ status: code ?? -1, stdout, stderr }));
  });
  return { process: child, stderr: () => stderr, ended };
}

/** The result line; standard output must hold nothing else. */
export function resultLine({ stdout, stderr }: Ended): RunResult {
  const lines = stdout.split('\n').filter((line) => line !== '');
  if (lines.length !== 1) throw new Error(`Standard output has ${lines.length} lines:\n${stdout}\n${stderr}`);
  return JSON.parse(lines[0] as string) as RunResult;
}
