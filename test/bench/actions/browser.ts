import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Worker } from '@playwright/test';
import { requireChromium } from '../../../src/cli/browser/find.ts';
import { extensionFlags, QUIET_FLAGS } from '../../../src/cli/browser/flags.ts';
import { buildHarness } from '../../support/pages/build.ts';

/** A Chromium in which both drivers work: each in tabs of its own. */
export interface BenchBrowser {
  context: BrowserContext;
  /** Background of the extension that holds Tabloom's page actions. */
  worker: Worker;
  version: string;
  close(): Promise<void>;
}

/** Builds the extension around the page actions and starts a Chromium with it. @throws Error where no Chromium is found */
export async function openBrowser(): Promise<BenchBrowser> {
  const folder = await mkdtemp(join(tmpdir(), 'tabloom-bench-actions-'));
  const extension = join(folder, 'extension');
  await buildHarness(extension, ['http://127.0.0.1/*']);
  const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
    executablePath: requireChromium().path,
    headless: true,
    chromiumSandbox: process.getuid?.() !== 0,
    args: [...QUIET_FLAGS, ...extensionFlags(extension)],
    ignoreDefaultArgs: ['--disable-popup-blocking'],
  });
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  return {
    context,
    worker,
    version: context.browser()?.version() ?? '',
    async close() {
      await context.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
