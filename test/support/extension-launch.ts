import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base } from '@playwright/test';
import { type LaunchedBrowser, type LaunchOptions, launchBrowser } from '../../src/cli/browser/launch.ts';
import { CHROMIUM_BUILD } from './extension.ts';

/** Starts the built extension by the product's own launcher, on one profile per test. */
export interface Launcher {
  readonly profileDir: string;
  /** Starts a browser; what is still running at the test's end is killed. Headless unless it says otherwise. */
  launch(options?: Partial<LaunchOptions>): Promise<LaunchedBrowser>;
}

/** Playwright's runner without Playwright's browser: nothing is ever attached to the worker. */
export const test = base.extend<{ launcher: Launcher }>({
  launcher: async ({ browserName: _ }, use) => {
    const profileDir = await mkdtemp(join(tmpdir(), 'tabloom-profile-'));
    const running: LaunchedBrowser[] = [];
    await use({
      profileDir,
      launch: async (options) => {
        const browser = await launchBrowser({ profileDir, extensionDir: CHROMIUM_BUILD, headless: true, ...options });
        running.push(browser);
        return browser;
      },
    });
    for (const browser of running) await browser.kill();
    await rm(profileDir, { recursive: true, force: true, maxRetries: 5 });
  },
});

export { expect } from '@playwright/test';
