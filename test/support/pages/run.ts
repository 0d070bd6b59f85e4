import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, test as base, chromium, type Worker } from '@playwright/test';
import { requireChromium } from '../../../src/cli/browser/find.ts';
import { extensionFlags, QUIET_FLAGS } from '../../../src/cli/browser/flags.ts';
import type { ErrorInfo } from '../../../src/model/errors.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import type { RunTabs } from '../../../src/model/run.ts';
import type { PageCall, PageResult } from '../../../src/ports/pages.ts';
import { buildHarness } from './build.ts';
import { type PageServer, startPageServer } from './server.ts';

/** For tests of the browser adapter and the page script in a real Chromium, without the engine. */

export type Answer = { ok: true; result: PageResult } | { ok: false; error: ErrorInfo };

/** A run as the engine would drive it: keeps the tabs that each action gives back. */
export class Run {
  tabs: RunTabs = { list: [], next: 1 };
  /** What the run keeps, by id. */
  files: Record<string, { name: string; mediaType: string; text: string }> = {};
  readonly worker: Worker;
  readonly site: string;
  readonly runId: string;
  #calls = 0;

  constructor(worker: Worker, site: string, runId: string) {
    this.worker = worker;
    this.site = site;
    this.runId = runId;
  }

  async try(action: string, args: JsonObject, more: Partial<PageCall> = {}): Promise<Answer> {
    this.#calls += 1;
    const call: Omit<PageCall, 'signal'> = {
      runId: this.runId,
      path: `step${this.#calls}`,
      attempt: 1,
      action,
      arguments: args,
      secrets: [],
      tabs: this.tabs,
      sites: [`${this.site}/*`],
      timeoutMs: 15_000,
      idempotencyKey: `${this.runId}/key${this.#calls}`,
      ...more,
    };
    const answer = await this.worker.evaluate(
      (sent) => (globalThis as unknown as { act(call: unknown): Promise<Answer> }).act(sent),
      { ...call, files: this.files } as unknown as Record<string, unknown>,
    );
    if (answer.ok) this.tabs = answer.result.tabs;
    return answer;
  }

  /** Output of an action that must succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: outputs are compared, not used
  async do(action: string, args: JsonObject = {}, more: Partial<PageCall> = {}): Promise<any> {
    const answer = await this.try(action, args, more);
    if (!answer.ok) throw new Error(`${action}: ${answer.error.code} ${answer.error.message}`);
    return answer.result.output;
  }

  /** Error of an action that must fail. */
  async fail(action: string, args: JsonObject = {}, more: Partial<PageCall> = {}): Promise<ErrorInfo> {
    const answer = await this.try(action, args, { timeoutMs: 1500, ...more });
    if (answer.ok) throw new Error(`${action} succeeded: ${JSON.stringify(answer.result.output)}`);
    return answer.error;
  }

  async open(path: string): Promise<void> {
    await this.do('navigate', { url: this.site + path });
  }

  /** What happens to the tab at the next click: see the worker. */
  async mishap(what: 'reload' | 'close' | 'close during'): Promise<void> {
    await this.worker.evaluate((one) => (globalThis as unknown as { mishap(what: string): void }).mishap(one), what);
  }

  /** As after a death of the worker, or with another session a relaunch of the browser. */
  async restart(session: string): Promise<void> {
    await this.worker.evaluate(
      (one) => (globalThis as unknown as { restart(session: string): void }).restart(one),
      session,
    );
  }

  /** The run is over: its tabs are the person's. */
  async release(): Promise<void> {
    await this.worker.evaluate(
      (id) => (globalThis as unknown as { release(id: string): void }).release(id),
      this.runId,
    );
  }

  /** Text of an element, to see what the page noticed. */
  async text(css: string): Promise<string> {
    return (await this.do('extract', { target: { css } })).text;
  }
}

interface Shared {
  /**
   * What the harness may do without asking: host patterns, and permissions beside those that it needs. With `dialogs` it has the scripts
   * that answer dialogs and notice a person in each frame.
   */
  granted: { hosts: string[]; permissions?: string[]; dialogs?: boolean };
  server: PageServer;
  harness: { context: BrowserContext; worker: Worker };
}

let runs = 0;

export const test = base.extend<{ run: Run }, Shared>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern
    async ({}, use) => {
      const server = await startPageServer();
      await use(server);
      await server.close();
    },
    { scope: 'worker' },
  ],
  granted: [{ hosts: ['http://127.0.0.1/*'] }, { option: true, scope: 'worker' }],
  harness: [
    async ({ granted }, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'tabloom-actions-'));
      const extension = join(folder, 'extension');
      await buildHarness(extension, granted.hosts, granted.permissions, granted.dialogs);
      const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
        executablePath: requireChromium().path,
        headless: true,
        chromiumSandbox: process.getuid?.() !== 0,
        args: [...QUIET_FLAGS, ...extensionFlags(extension)],
        ignoreDefaultArgs: ['--disable-popup-blocking'],
      });
      const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
      await use({ context, worker });
      await context.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
    { scope: 'worker' },
  ],
  run: async ({ harness, server }, use) => {
    runs += 1;
    const run = new Run(harness.worker, server.origin, `run${runs}`);
    await use(run);
    // Also those that the run has lost: the next test looks for its page by address.
    await harness.worker.evaluate(async (url) => {
      for (const { id } of await chrome.tabs.query({ url })) {
        if (id !== undefined) await chrome.tabs.remove(id).catch(() => undefined);
      }
    }, 'http://127.0.0.1/*');
  },
});
