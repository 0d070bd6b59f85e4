import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { GECKO_ID } from '../../src/cli/browser/extension-id.ts';
import { BidiSession } from './bidi.ts';
import { zipOf } from './zip.ts';

/** The build for Firefox, as `npm run build:firefox` leaves it. */
export const FIREFOX_BUILD = resolve(import.meta.dirname, '../../.output/firefox-mv3');

/** Firefox draws an id per profile for the addresses of an extension's pages; this one is set beforehand. */
const ADDRESS_UUID = '7f3b9c52-64d1-4a0e-9a86-2d6f0c5b8e11';

const PREFERENCES: Record<string, unknown> = {
  'extensions.webextensions.uuids': JSON.stringify({ [GECKO_ID]: ADDRESS_UUID }),
  // A click is then enough for `permissions.request`: its prompt belongs to the browser and cannot be reached.
  'extensions.webextOptionalPermissionPrompts': false,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'app.update.enabled': false,
  'extensions.update.enabled': false,
  'browser.aboutwelcome.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
};

/** An extension that lies in the profile is then installed for good, although nobody has signed it: only ESR and developer builds can. */
const INSTALLED: Record<string, unknown> = {
  'xpinstall.signatures.required': false,
  'extensions.autoDisableScopes': 0,
  'extensions.startupScanScopes': 15,
};

/** A headless Firefox with the extension in it. */
export interface FirefoxWithExtension {
  readonly bidi: BidiSession;
  /** Address of one of the extension's pages. */
  url(page: string): string;
  close(): Promise<void>;
  /** Ends it at once, as a power cut would, with all its children. */
  kill(): Promise<void>;
  /** Evaluates an expression as the browser itself, and returns its value, which must be JSON. */
  asBrowser<T>(expression: string): Promise<T>;
  /** Ends the extension's event page now, busy or not, as Firefox does when it thinks that it idles. */
  endEventPage(): Promise<void>;
}

/** Finds Firefox: `TABLOOM_FIREFOX`, or Debian's places. */
export function findFirefox(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return [env.TABLOOM_FIREFOX, '/usr/bin/firefox-esr', '/usr/bin/firefox'].find((path) => {
    try {
      if (path) accessSync(path, constants.X_OK);
      return Boolean(path);
    } catch {
      return false;
    }
  });
}

/**
 * Starts Firefox and installs the build into it.
 * @param preferences further ones, by their names in `about:config`
 * @param kept a profile of the caller's: the extension is then installed in it for good, as from a store, and is there again with its
 *   database and its grants at the next launch. Without it the profile is fresh and goes at the end, with a temporary extension.
 * @throws Error when Firefox is missing or does not start; BidiError when it refuses the extension.
 */
export async function launchFirefox(
  extensionDir = FIREFOX_BUILD,
  preferences: Record<string, unknown> = {},
  kept?: string,
): Promise<FirefoxWithExtension> {
  const executable = findFirefox();
  if (!executable) throw new Error('Firefox is not installed (Debian: apt-get install firefox-esr).');
  const profile = kept ?? (await mkdtemp(join(tmpdir(), 'tabloom-firefox-')));
  const all = { ...PREFERENCES, ...(kept === undefined ? {} : INSTALLED), ...preferences };
  const lines = Object.entries(all).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
  await writeFile(join(profile, 'user.js'), lines.join('\n'));
  if (kept !== undefined) {
    await mkdir(join(profile, 'extensions'), { recursive: true });
    await writeFile(join(profile, 'extensions', `${GECKO_ID}.xpi`), await zipOf(extensionDir));
  }
  const child = spawn(
    executable,
    // System access is what lets a test open `moz-extension:` pages.
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0', '--remote-allow-system-access'],
    // A group of its own, so that `kill` reaches its content processes.
    { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, MOZ_CRASHREPORTER_DISABLE: '1' }, detached: true },
  );
  const stop = async (gently = false) => {
    await endProcess(child, gently);
    if (kept === undefined) await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const bidi = await BidiSession.open(await printedAddress(child));
    if (kept === undefined) {
      // A copy, so that a rebuild takes no files away under the browser.
      const copy = join(profile, 'tabloom-build');
      await cp(extensionDir, copy, { recursive: true });
      await bidi.send('webExtension.install', { extensionData: { type: 'path', path: copy } }, 60_000);
    }
    return {
      bidi,
      url: (page) => `moz-extension://${ADDRESS_UUID}/${page}`,
      close: async () => {
        // Asked, it writes what it still has in memory, for example the grants; a signal would end it without.
        if (kept !== undefined) await bidi.send('browser.close', {}, 10_000).catch(() => undefined);
        bidi.close();
        await stop(kept !== undefined);
      },
      kill: async () => {
        killGroup(child);
        bidi.close();
        await stop();
      },
      asBrowser: (expression) => asBrowser(bidi, expression),
      endEventPage: () => endEventPage(bidi),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function asBrowser<T>(bidi: BidiSession, expression: string): Promise<T> {
  const { contexts } = await bidi.send<{ contexts: { context: string }[] }>('browsingContext.getTree', {
    'moz:scope': 'chrome',
    maxDepth: 0,
  });
  const window = contexts[0]?.context;
  if (window === undefined) throw new Error('Firefox has no window.');
  return bidi.evaluate<T>(window, expression);
}

/** By Firefox's own switch for its tests of event pages, which leaves out the question whether the page is at work. */
async function endEventPage(bidi: BidiSession): Promise<void> {
  const ended = await asBrowser<string>(
    bidi,
    `(async () => {
      const { extension } = WebExtensionPolicy.getByID(${JSON.stringify(GECKO_ID)});
      await extension.terminateBackground({ ignoreDevToolsAttached: true, disableResetIdleForTest: true });
      return extension.backgroundState;
    })()`,
  );
  if (ended !== 'stopped') throw new Error(`The event page is ${ended}.`);
}

function printedAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const timer = setTimeout(() => reject(new Error(`Firefox gave no address in 60 s: ${output}`)), 60_000);
    (child.stderr as Readable).on('data', (data: Buffer) => {
      output += data.toString('utf8');
      const address = /WebDriver BiDi listening on (ws:\/\/\S+)/.exec(output)?.[1];
      if (!address) return;
      clearTimeout(timer);
      resolve(address);
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`Firefox ended with ${code}: ${output}`));
    });
  });
}

async function endProcess(child: ChildProcess, gently: boolean): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  if (!gently) child.kill();
  const timer = setTimeout(() => killGroup(child), 10_000);
  await ended;
  clearTimeout(timer);
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nothing of the group is left.
  }
}
