import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type BrowserContext, test as base, chromium, type Page } from '@playwright/test';
import { EXTENSION_ID, extensionUrl } from '../../src/cli/browser/extension-id.ts';
import { requireChromium } from '../../src/cli/browser/find.ts';
import { extensionFlags, QUIET_FLAGS } from '../../src/cli/browser/flags.ts';
import { grantSites } from './granted-profile.ts';

/** The build for Chromium, as `npm run build` leaves it. */
export const CHROMIUM_BUILD = resolve(import.meta.dirname, '../../.output/chrome-mv3');

/**
 * A Chromium with the built extension on a profile of the test's own.
 *
 * Playwright attaches to the worker by itself, which keeps the worker alive and hides CSP faults. For a test of how long
 * the worker lives, or of its CSP, use `launchBrowser` of `src/cli/browser` instead.
 */
export class Extension {
  readonly id = EXTENSION_ID;
  readonly profileDir: string;
  #context: BrowserContext | undefined;
  #messenger: Page | undefined;

  constructor(profileDir: string) {
    this.profileDir = profileDir;
  }

  /** The present browser; a relaunch makes another. */
  get context(): BrowserContext {
    if (!this.#context) throw new Error('The browser is not running.');
    return this.#context;
  }

  /** Starts the browser on the profile and waits for the extension's worker. */
  async launch(): Promise<void> {
    this.#context = await chromium.launchPersistentContext(this.profileDir, {
      executablePath: requireChromium().path,
      headless: true,
      chromiumSandbox: process.getuid?.() !== 0,
      args: [...QUIET_FLAGS, ...extensionFlags(CHROMIUM_BUILD)],
    });
    if (this.context.serviceWorkers().length === 0) await this.context.waitForEvent('serviceworker');
  }

  /** Ends the browser and starts it again on the same profile. */
  async relaunch(): Promise<void> {
    await this.close();
    await this.launch();
  }

  /** Ends the browser, grants sites as a person would have, and starts it again. */
  async grant(...origins: string[]): Promise<void> {
    await this.close();
    await grantSites(this.profileDir, origins, CHROMIUM_BUILD);
    await this.launch();
  }

  /** Address of one of the extension's pages. */
  url(page: string): string {
    return extensionUrl(page);
  }

  /** Opens one of the extension's pages in a tab: `popup.html`, `sidepanel.html`, `app.html#/runs`. */
  async open(page: string): Promise<Page> {
    const tab = await this.context.newPage();
    await tab.goto(this.url(page));
    return tab;
  }

  /** Sends a message to the background through an extension page, as the product's own pages do. */
  async send<T = unknown>(message: unknown): Promise<T> {
    if (!this.#messenger || this.#messenger.isClosed()) this.#messenger = await this.open('app.html');
    return (await this.#messenger.evaluate((sent) => chrome.runtime.sendMessage(sent), message)) as T;
  }

  /** Stops the worker, as the browser does after 30 s without events. The next event starts a fresh one. */
  async stopWorker(): Promise<void> {
    const page = this.context.pages()[0] ?? (await this.context.newPage());
    const session = await this.context.newCDPSession(page);
    await session.send('ServiceWorker.enable');
    await session.send('ServiceWorker.stopAllWorkers');
    await session.detach();
  }

  /** Ends the browser; the profile stays. */
  async close(): Promise<void> {
    this.#messenger = undefined;
    await this.#context?.close();
    this.#context = undefined;
  }
}

interface Options {
  /** Sites that the profile grants before the browser starts. */
  seededOrigins: string[];
}

interface Fixtures {
  /** The running browser with the extension in it. */
  extension: Extension;
}

/** Playwright's `test` with the built extension: `extension`, and `context` and `page` of its browser. */
export const test = base.extend<Options & Fixtures>({
  seededOrigins: [[], { option: true }],
  extension: async ({ seededOrigins }, use) => {
    const profileDir = await mkdtemp(join(tmpdir(), 'tabloom-profile-'));
    const extension = new Extension(profileDir);
    try {
      await grantSites(profileDir, seededOrigins, CHROMIUM_BUILD);
      await extension.launch();
      await use(extension);
    } finally {
      await extension.close();
      await rm(profileDir, { recursive: true, force: true, maxRetries: 5 });
    }
  },
  context: async ({ extension }, use) => use(extension.context),
  page: async ({ extension }, use) => use(await extension.context.newPage()),
});

export { expect } from '@playwright/test';
