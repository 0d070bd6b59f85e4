import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ensureBuild } from '../browser/build.ts';
import { extensionUrl } from '../browser/extension-id.ts';
import { type ExtensionPage, openExtensionPage } from '../browser/extension-page.ts';
import { seedGrants } from '../browser/grants.ts';
import { type LaunchedBrowser, launchBrowser } from '../browser/launch.ts';
import { type Background, backgroundOf, untilReady } from './background.ts';

/** A browser with the extension, and a page of it to speak through. */
export interface Session {
  readonly browser: LaunchedBrowser;
  /** The extension's own app page, in a tab. */
  readonly page: ExtensionPage;
  readonly background: Background;
  readonly profileDir: string;
  /** Ends the browser. A temporary profile goes with it, unless `keep` says that a run is left in it. */
  close(keep: boolean): Promise<void>;
}

export interface SessionOptions {
  headless: boolean;
  profileDir?: string;
  grants: readonly string[];
  say: (line: string) => void;
}

/** How long the extension may take to show up: on a machine at its limits the first start of a profile takes half a minute. */
const START_MS = 90_000;

/**
 * Builds the extension where that is needed, grants what is named, starts Chromium and waits for the extension.
 * @throws BuildError, OriginInvalidError, LaunchError, RunFailure: each with one sentence that says what to do.
 */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { dir: extensionDir, built } = ensureBuild('chrome');
  if (built) options.say('Built the extension.');
  const temporary = options.profileDir === undefined;
  const profileDir = temporary ? await mkdtemp(join(tmpdir(), 'tabloom-run-')) : resolve(options.profileDir as string);
  const forget = async () => {
    if (temporary) await rm(profileDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  let browser: LaunchedBrowser | undefined;
  // Until there is a run to cancel, Ctrl+C just ends everything; the browser goes with the pipes that we hold.
  const giveUp = () => {
    if (temporary) rmSync(profileDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    process.exit(130);
  };
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, giveUp);
  try {
    if (options.grants.length > 0) {
      options.say(`Granting the extension access to ${options.grants.join(', ')}.`);
      await seedGrants(profileDir, options.grants, { extensionDir });
    }
    const launched = await launchBrowser({ profileDir, extensionDir, headless: options.headless, timeoutMs: START_MS });
    browser = launched;
    const page = await openExtensionPage(launched.cdp, 'app.html#/approvals', { background: !options.headless });
    // This page is the one that says hello to a new person; the command speaks for itself.
    await page.evaluate("chrome.storage.local.set({ 'tabloom.quiet': true })");
    const background = backgroundOf(page);
    await untilReady(background);
    await closeWelcome(launched, page);
    return {
      browser: launched,
      page,
      background,
      profileDir,
      async close(keep) {
        await launched.close();
        if (!keep) await forget();
      },
    };
  } catch (error) {
    await browser?.kill();
    await forget();
    throw error;
  } finally {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, giveUp);
  }
}

/** A fresh profile may have opened the welcome page before it could be told not to. */
async function closeWelcome({ cdp }: LaunchedBrowser, page: ExtensionPage): Promise<void> {
  for (const { targetId, url } of await cdp.targets()) {
    if (targetId === page.targetId || !url.startsWith(extensionUrl('app.html#/welcome'))) continue;
    await cdp.send('Target.closeTarget', { targetId }).catch(() => undefined);
  }
}
