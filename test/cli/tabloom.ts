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
  /** What it has said so far. */
  stdout(): string;
  stderr(): string;
  /** Sends a signal to it and to all that it has started. */
  end(signal: NodeJS.Signals): void;
  ended: Promise<Ended>;
}

interface CallOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
}

/** Calls `tabloom` as a person without a terminal would, with no keys in its environment. */
export function callTabloom(args: string[], options: CallOptions = {}): Called {
  return callCommand([process.execPath, join(ROOT, 'src/cli/main.ts'), ...args], options);
}

/** The test runner asks for colour where the gate asks for none, and Node warns of the two on standard error, which is the command's own. */
const COLOURS = { FORCE_COLOR: undefined, NO_COLOR: undefined };

/** Calls any command in the same way, in the root of the repository unless said otherwise. It gets a process group of its own. */
export function callCommand([program = '', ...args]: string[], options: CallOptions = {}): Called {
  const child = spawn(program, args, {
    cwd: options.cwd ?? ROOT,
    env: { ...process.env, ...COLOURS, OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '', NODE_OPTIONS: '', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
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
  const end = (signal: NodeJS.Signals) => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, signal);
    } catch {
      // All of it has ended.
    }
  };
  return { process: child, stdout: () => stdout, stderr: () => stderr, end, ended };
}

/** What a command said on standard output, without the two lines in which npm repeats it. */
export function withoutBanner({ stdout, ...rest }: Ended): Ended {
  return { ...rest, stdout: stdout.replace(/^\n?(> .*\n)+\n?/, '') };
}

/** The result line; standard output must hold nothing else. */
export function resultLine({ stdout, stderr }: Ended): RunResult {
  const lines = stdout.split('\n').filter((line) => line !== '');
  if (lines.length !== 1) throw new Error(`Standard output has ${lines.length} lines:\n${stdout}\n${stderr}`);
  return JSON.parse(lines[0] as string) as RunResult;
}
