import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { CdpConnection } from './cdp.ts';
import { EXTENSION_ID, extensionUrl } from './extension-id.ts';
import { requireChromium } from './find.ts';
import { extensionFlags, QUIET_FLAGS, sandboxFlags } from './flags.ts';
import { dropOtherCopies, placeCopy } from './private-copy.ts';

/** What to start. */
export interface LaunchOptions {
  /** The browser's own folder for this person; made if missing. */
  profileDir: string;
  /** A built extension, for example `.output/chrome-mv3`. The browser runs a copy of it, which lies in the profile. */
  extensionDir: string;
  /** Without a window. Everything works there but answering permission prompts. */
  headless?: boolean;
  extraArgs?: readonly string[];
  /** Default: what `findChromium` finds. */
  executablePath?: string;
  /** The browser's environment, for example another display. Default: ours. */
  env?: NodeJS.ProcessEnv;
  /** How long the extension may take to show up. */
  timeoutMs?: number;
}

/** A running Chromium with the extension in it. */
export interface LaunchedBrowser {
  readonly cdp: CdpConnection;
  readonly process: ChildProcess;
  readonly extensionId: string;
  /** Resolves when the process has ended, however it ended. */
  readonly exited: Promise<void>;
  /** Ends it as a person would, so that everything is flushed; kills it when that takes over ten seconds. */
  close(): Promise<void>;
  /** Ends it at once, as a power cut would, with all its children. */
  kill(): Promise<void>;
}

/** The browser could not be started, or runs without the extension. The message says what to do. */
export class LaunchError extends Error {
  override readonly name = 'LaunchError';
}

/**
 * Starts Chromium with the built extension and waits until its worker has started.
 * @throws LaunchError when there is no usable Chromium, the profile is open elsewhere, or the extension does not load.
 */
export async function launchBrowser(options: LaunchOptions): Promise<LaunchedBrowser> {
  const executable = options.executablePath ?? requireChromium().path;
  await mkdir(options.profileDir, { recursive: true });
  const copy = await placeCopy(options.profileDir, options.extensionDir).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new LaunchError(`Build the extension again with npm run build: it could not be copied (${why}).`);
  });
  const args = [
    `--user-data-dir=${options.profileDir}`,
    '--remote-debugging-pipe',
    ...QUIET_FLAGS,
    ...sandboxFlags(),
    ...extensionFlags(copy),
    ...(options.headless ? ['--headless=new', '--hide-scrollbars', '--mute-audio'] : []),
    ...(options.extraArgs ?? []),
    // Headless, nobody looks at the new-tab page, which is costly to load.
    ...(options.headless ? ['about:blank'] : []),
  ];
  const child = spawn(executable, args, {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    env: options.env ?? process.env,
    // A group of its own, so that `kill` reaches the zygote and every renderer.
    detached: process.platform !== 'win32',
  });
  const complaints = collectTail(child.stderr as Readable);
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const failed = new Promise<Error>((resolve) => child.once('error', resolve));
  const cdp = new CdpConnection(child.stdio[3] as Writable, child.stdio[4] as Readable);
  const browser: LaunchedBrowser = {
    cdp,
    process: child,
    extensionId: EXTENSION_ID,
    exited,
    close: () => closeBrowser(child, cdp, exited),
    kill: () => killBrowser(child, exited),
  };
  const reason = await Promise.race([
    waitForWorker(cdp, options.timeoutMs ?? 30_000),
    exited.then(() => endedEarly(options.profileDir, complaints())),
    failed.then((error) => `Chromium at ${executable} could not be started: ${error.message}.`),
  ]);
  if (!reason) {
    // It came up, so the profile is ours alone.
    await dropOtherCopies(options.profileDir, copy);
    return browser;
  }
  await browser.kill();
  throw new LaunchError(reason);
}

/** Polls the targets until the extension's worker is among them. Returns a reason when it never is. */
async function waitForWorker(cdp: CdpConnection, timeoutMs: number): Promise<string | undefined> {
  const prefix = extensionUrl('');
  const end = Date.now() + timeoutMs;
  while (Date.now() < end) {
    const targets = await cdp.targets().catch(() => []);
    if (targets.some(({ type, url }) => type === 'service_worker' && url.startsWith(prefix))) return undefined;
    if (cdp.closed) await sleep(1000); // The exit is about to be noticed, and knows better what went wrong.
    await sleep(50);
  }
  return (
    'Chromium runs, but the Tabloom extension did not load in it: branded Google Chrome ignores --load-extension, ' +
    'so use Chromium or Chrome for Testing (set TABLOOM_CHROMIUM to its path).'
  );
}

function endedEarly(profileDir: string, complaints: string): string {
  const hint = complaints ? ` It said: ${complaints}` : '';
  return `Chromium ended before it was ready; close any other browser that uses ${profileDir} and try again.${hint}`;
}

async function closeBrowser(child: ChildProcess, cdp: CdpConnection, exited: Promise<void>): Promise<void> {
  await cdp.send('Browser.close').catch(() => undefined);
  const timeout = new AbortController();
  await Promise.race([exited, sleep(10_000, undefined, { signal: timeout.signal }).catch(() => undefined)]);
  timeout.abort();
  // Also after a clean end: the helpers outlive their browser by a moment, and would still hold the profile.
  await killBrowser(child, exited);
  cdp.close();
}

async function killBrowser(child: ChildProcess, exited: Promise<void>): Promise<void> {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nothing of the group is left.
  }
  await exited;
}

/** Keeps the last two lines of a stream that hold an error, without the noise that Chromium prints on every start. */
function collectTail(stream: Readable): () => string {
  let tail = '';
  stream.on('data', (chunk: Buffer) => {
    tail = (tail + chunk.toString('utf8')).slice(-4000);
  });
  return () => {
    const lines = tail.split('\n').filter((line) => line.trim() && !/dbus|vaapi|gcm|DevTools listening/i.test(line));
    return lines.slice(-2).join(' ').trim();
  };
}
