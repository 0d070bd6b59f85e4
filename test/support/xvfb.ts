import { type ChildProcess, execFile, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A virtual X display of the test's own. */
export interface VirtualDisplay {
  /** The environment in which programs show their windows there. */
  readonly env: NodeJS.ProcessEnv;
  /** Presses keys in the window that has the focus, one after the other, by xdotool's names: `Tab`, `Return`. */
  press(...keys: string[]): Promise<void>;
  /** Ids of the windows that are on screen and have a name or class, in decimal. */
  windows(): Promise<string[]>;
  /** Gives a window the keyboard. There is no window manager that would. */
  focus(window: string): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts Xvfb on a free display number.
 * @throws Error when Xvfb is not installed or does not come up.
 */
export async function startXvfb(): Promise<VirtualDisplay> {
  const child = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const display = `:${await firstLine(child)}`;
  const env = { ...process.env, DISPLAY: display };
  const xdotool = async (...args: string[]) => (await run('xdotool', args, { env })).stdout;
  return {
    env,
    press: async (...keys) => {
      for (const key of keys) await xdotool('key', '--clearmodifiers', key);
    },
    windows: async () => {
      const out = await xdotool('search', '--onlyvisible', '--name', '.*').catch(() => '');
      return out.split('\n').filter(Boolean);
    },
    focus: async (window) => {
      await xdotool('windowfocus', '--sync', window);
    },
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill();
      await ended;
    },
  };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('error', () => reject(new Error('Xvfb is not installed.')));
    child.once('exit', (code) => reject(new Error(`Xvfb ended with ${code}.`)));
    (child.stdio[3] as Readable).once('data', (data: Buffer) => resolve(data.toString('utf8').trim()));
  });
}
