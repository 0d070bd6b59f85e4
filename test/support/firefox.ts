import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { GECKO_ID } from '../../src/cli/browser/extension-id.ts';
import { BidiSession } from './bidi.ts';

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

/** A headless Firefox with the extension in it. */
export interface FirefoxWithExtension {
  readonly bidi: BidiSession;
  /** Address of one of the extension's pages. */
  url(page: string): string;
  close(): Promise<void>;
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
 * Starts Firefox on a fresh profile and installs the build into it.
 * @param preferences further ones, by their names in `about:config`
 * @throws Error when Firefox is missing or does not start; BidiError when it refuses the extension.
 */
export async function launchFirefox(
  extensionDir = FIREFOX_BUILD,
  preferences: Record<string, unknown> = {},
): Promise<FirefoxWithExtension> {
  const executable = findFirefox();
  if (!executable) throw new Error('Firefox is not installed (Debian: apt-get install firefox-esr).');
  const profile = await mkdtemp(join(tmpdir(), 'tabloom-firefox-'));
  const all = { ...PREFERENCES, ...preferences };
  const lines = Object.entries(all).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
  await writeFile(join(profile, 'user.js'), lines.join('\n'));
  const child = spawn(
    executable,
    // System access is what lets a test open `moz-extension:` pages.
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0', '--remote-allow-system-access'],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, MOZ_CRASHREPORTER_DISABLE: '1' } },
  );
  const stop = async () => {
    await endProcess(child);
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const bidi = await BidiSession.open(await printedAddress(child));
    // A copy, so that a rebuild takes no files away under the browser.
    const copy = join(profile, 'tabloom-build');
    await cp(extensionDir, copy, { recursive: true });
    await bidi.send('webExtension.install', { extensionData: { type: 'path', path: copy } }, 60_000);
    return {
      bidi,
      url: (page) => `moz-extension://${ADDRESS_UUID}/${page}`,
      close: async () => {
        bidi.close();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
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

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill();
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
  await ended;
  clearTimeout(timer);
}
