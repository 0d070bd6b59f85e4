import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test as base, expect } from '@playwright/test';
import type { RunDetail } from '../../src/app/protocol.ts';
import { extensionUrl } from '../../src/cli/browser/extension-id.ts';
import { openExtensionPage } from '../../src/cli/browser/extension-page.ts';
import { seedGrants } from '../../src/cli/browser/grants.ts';
import { type LaunchedBrowser, launchBrowser } from '../../src/cli/browser/launch.ts';
import { type Background, backgroundOf, untilReady } from '../../src/cli/run/background.ts';
import { FINAL_RUN } from '../../src/model/run.ts';
import { CHROMIUM_BUILD } from '../support/extension.ts';
import { type LlmServer, startLlmServer } from '../support/llm-server.ts';

/** How often the worker is looked for. Milliseconds. */
const LOOK_EVERY = 500;
const PATIENCE = 90_000;

/** One life of the worker, as seen from outside. Epoch milliseconds. */
export interface Life {
  targetId: string;
  from: number;
  /** Absent while it lives. */
  to?: number;
}

/**
 * The product in a Chromium that nobody looks at: started by its own launcher, so that nothing is attached to the worker, and with none of
 * its pages open but for the moments in which a test asks something. Who lives is seen by `Target.getTargets`, which wakes nobody.
 */
export class Alone {
  readonly llm: LlmServer;
  readonly #profileDir: string;
  #browser: LaunchedBrowser | undefined;
  #lives: Life[] = [];
  #watching: Promise<void> | undefined;

  constructor(profileDir: string, llm: LlmServer) {
    this.#profileDir = profileDir;
    this.llm = llm;
  }

  get browser(): LaunchedBrowser {
    if (!this.#browser) throw new Error('The browser is not running.');
    return this.#browser;
  }

  /** Lives of the worker since {@link leave}, oldest first. */
  get lives(): readonly Life[] {
    return this.#lives;
  }

  /** Starts the browser. Its one page is a blank one. */
  async launch(): Promise<void> {
    this.#browser = await launchBrowser({
      profileDir: this.#profileDir,
      extensionDir: CHROMIUM_BUILD,
      headless: true,
      timeoutMs: PATIENCE,
    });
  }

  async grant(): Promise<void> {
    await seedGrants(this.#profileDir, [this.llm.url], { extensionDir: CHROMIUM_BUILD });
  }

  async kill(): Promise<void> {
    const browser = this.#browser;
    this.#browser = undefined;
    await browser?.kill();
    await this.#watching;
  }

  /** Opens a page of the extension, asks, and closes it again. */
  async visit<T>(work: (background: Background, evaluate: <R>(code: string) => Promise<R>) => Promise<T>): Promise<T> {
    const page = await openExtensionPage(this.browser.cdp, 'app.html#/runs');
    try {
      const background = backgroundOf(page);
      await untilReady(background, PATIENCE);
      return await work(background, (code) => page.evaluate(code));
    } finally {
      await page.close();
    }
  }

  /** Sets the model, imports the workflow, starts it, and leaves. @returns the run's id */
  async begin(steps: object[], more: { stream?: boolean } = {}): Promise<string> {
    const runId = await this.visit(async (background) => {
      const account = { id: 'local', provider: 'openai-compatible' as const, baseUrl: `${this.llm.url}/v1`, ...more };
      const settings = { accounts: [{ ...account, hasKey: false }], names: {}, default: 'local:slow' };
      await background.ask('models.set', { settings });
      const source = JSON.stringify({ format: 'tabloom/v1', id: 'alone', name: 'Alone', steps });
      const imported = await background.ask('workflow.import', { source, enable: true });
      if ('refused' in imported) throw new Error(JSON.stringify(imported.refused));
      const started = await background.ask('run.start', { workflowId: 'alone', input: {} });
      if ('refused' in started) throw new Error(JSON.stringify(started.refused));
      return started.runId;
    });
    await this.leave();
    return runId;
  }

  /** From here on nothing of ours is open, and the worker is watched. @throws Error when a page of the extension is open */
  async leave(): Promise<void> {
    await expect.poll(async () => (await this.#ours()).filter(({ type }) => type !== 'service_worker')).toEqual([]);
    this.#lives = [];
    const { browser } = this;
    this.#watching = (async () => {
      while (this.#browser === browser) {
        const alive = await this.#ours().catch(() => undefined);
        if (alive) this.#note(alive.filter(({ type }) => type === 'service_worker').map(({ targetId }) => targetId));
        await sleep(LOOK_EVERY);
      }
    })();
  }

  async #ours() {
    return (await this.browser.cdp.targets()).filter(({ url }) => url.startsWith(extensionUrl('')));
  }

  #note(alive: string[]): void {
    const now = Date.now();
    for (const life of this.#lives) if (life.to === undefined && !alive.includes(life.targetId)) life.to = now;
    for (const targetId of alive) {
      if (!this.#lives.some((life) => life.targetId === targetId && life.to === undefined))
        this.#lives.push({ targetId, from: now });
    }
  }

  /** Whether a worker is there at this moment, by the last look. */
  get awake(): boolean {
    return this.#lives.some(({ to }) => to === undefined);
  }

  /** Ends the worker as the browser does when it likes, without opening a page that would wake the next one. */
  async stopWorker(): Promise<void> {
    const worker = (await this.#ours()).find(({ type }) => type === 'service_worker');
    if (!worker) throw new Error('There is no worker to stop.');
    await this.browser.cdp.send('Target.closeTarget', { targetId: worker.targetId });
    await expect
      .poll(async () => (await this.#ours()).some(({ targetId }) => targetId === worker.targetId))
      .toBe(false);
  }

  /** Waits until the model's server was asked so often, with nothing of ours open. */
  async asked(times: number, timeout: number): Promise<void> {
    await expect.poll(() => this.llm.requests.length, { timeout, intervals: [500] }).toBe(times);
  }

  /** Waits until no request is open at the model's server. */
  async answered(timeout: number): Promise<void> {
    await expect.poll(() => this.llm.open().now, { timeout, intervals: [500] }).toBe(0);
  }

  /** Opens a page and waits for the end of the run. */
  async ended(runId: string): Promise<RunDetail> {
    return this.visit(async (background) => {
      let detail: RunDetail | null = null;
      await expect
        .poll(async () => {
          detail = await background.ask('run.get', { runId });
          return FINAL_RUN.includes(detail?.run.status ?? 'queued');
        })
        .toBe(true);
      return detail as unknown as RunDetail;
    });
  }
}

/** Playwright's runner with the product on a profile of the test's own, a model's server that it may reach, and the browser running. */
export const test = base.extend<{ alone: Alone }>({
  alone: async ({ browserName: _ }, use) => {
    const profileDir = await mkdtemp(join(tmpdir(), 'tabloom-alone-'));
    const llm = await startLlmServer();
    const alone = new Alone(profileDir, llm);
    try {
      await alone.grant();
      await alone.launch();
      await use(alone);
    } finally {
      await alone.kill();
      await llm.close();
      await rm(profileDir, { recursive: true, force: true, maxRetries: 5 });
    }
  },
});

export { expect };
