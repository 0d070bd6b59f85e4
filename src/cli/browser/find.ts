import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { aptInstall, canAptInstall, isExecutable } from './install.ts';

/** A browser that can load the extension. */
export interface FoundChromium {
  path: string;
}

/** There is no usable Chromium. The message says what to do. */
export class ChromiumMissingError extends Error {
  override readonly name = 'ChromiumMissingError';
}

const BRANDED = 'Google Chrome ignores --load-extension, so it cannot be used';
const ADVICE =
  'install Chromium or Chrome for Testing (Debian: apt-get install chromium; elsewhere: npx playwright install ' +
  'chromium), or set TABLOOM_CHROMIUM to the path of one.';

/**
 * Looks for Chromium: `TABLOOM_CHROMIUM` first, then the usual places of Debian, macOS and Windows, Chrome for Testing
 * and what Playwright has downloaded. Branded Google Chrome is never taken.
 * @throws ChromiumMissingError when `TABLOOM_CHROMIUM` names something that cannot be run.
 */
export function findChromium(env: NodeJS.ProcessEnv = process.env): FoundChromium | undefined {
  const named = env.TABLOOM_CHROMIUM;
  if (named) {
    if (isExecutable(named)) return { path: named };
    throw new ChromiumMissingError(`TABLOOM_CHROMIUM is ${named}, which is no program that can be run.`);
  }
  const path = candidates(env).find(isExecutable);
  return path ? { path } : undefined;
}

/**
 * Like {@link findChromium}, for callers that cannot go on without one.
 * @throws ChromiumMissingError with one sentence that says what to do.
 */
export function requireChromium(env: NodeJS.ProcessEnv = process.env): FoundChromium {
  const found = findChromium(env);
  if (found) return found;
  const branded = BRANDED_PATHS.some(isExecutable);
  throw new ChromiumMissingError(branded ? `${BRANDED}: ${ADVICE}` : `No Chromium was found: ${ADVICE}`);
}

/**
 * Finds Chromium, or installs it where that needs no question: by apt as root, else by Playwright's downloader.
 * @param say is told in one line what is being installed.
 * @throws ChromiumMissingError when there is none afterwards.
 */
export function ensureChromium(say: (line: string) => void = console.error): FoundChromium {
  const found = findChromium();
  if (found) return found;
  if (canAptInstall()) {
    aptInstall(['chromium'], say);
  } else {
    say('Installing Chromium with Playwright …');
    spawnSync('npx', ['playwright', 'install', 'chromium'], { stdio: ['ignore', 'ignore', 'inherit'] });
  }
  return requireChromium();
}

const BRANDED_PATHS = [
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

function candidates(env: NodeJS.ProcessEnv): string[] {
  const home = homedir();
  const pathFolders = (env.PATH ?? '').split(delimiter).filter(Boolean);
  return [
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    ...pathFolders.flatMap((folder) => ['chromium', 'chromium-browser'].map((name) => join(folder, name))),
    '/snap/bin/chromium',
    '/opt/chrome-for-testing/chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing',
    ...playwrightDownloads(env.PLAYWRIGHT_BROWSERS_PATH ?? join(home, '.cache', 'ms-playwright')),
    ...playwrightDownloads(join(home, 'Library', 'Caches', 'ms-playwright')),
    ...playwrightDownloads(join(env.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), 'ms-playwright')),
    ...puppeteerDownloads(join(home, '.cache', 'puppeteer', 'chrome')),
  ];
}

const MAC_APPS = [
  'Chromium.app/Contents/MacOS/Chromium',
  'Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing',
];

/** The programs inside Playwright's folder, newest first. */
function playwrightDownloads(folder: string): string[] {
  return versions(folder)
    .filter((name) => /^chromium-\d+$/.test(name))
    .flatMap((name) => programs(join(folder, name)));
}

/** Chrome for Testing as `@puppeteer/browsers` stores it. */
function puppeteerDownloads(folder: string): string[] {
  return versions(folder).flatMap((name) => programs(join(folder, name)));
}

function programs(folder: string): string[] {
  return versions(folder).flatMap((sub) => [
    join(folder, sub, 'chrome'),
    join(folder, sub, 'chrome.exe'),
    ...MAC_APPS.map((app) => join(folder, sub, app)),
  ]);
}

function versions(folder: string): string[] {
  try {
    return readdirSync(folder)
      .sort(new Intl.Collator('en', { numeric: true }).compare)
      .reverse();
  } catch {
    return [];
  }
}
