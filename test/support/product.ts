import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base } from '@playwright/test';
import type { RequestName, Requests, RunDetail } from '../../src/app/protocol.ts';
import type { CdpSession } from '../../src/cli/browser/cdp.ts';
import { type ExtensionPage, openExtensionPage } from '../../src/cli/browser/extension-page.ts';
import { type LaunchedBrowser, launchBrowser } from '../../src/cli/browser/launch.ts';
import { until } from '../../src/cli/browser/page.ts';
import { openPopup, type Popup } from '../../src/cli/browser/popup.ts';
import { backgroundOf, untilReady } from '../../src/cli/run/background.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { type ApprovalRow, FINAL_RUN } from '../../src/model/run.ts';
import { CHROMIUM_BUILD } from './extension.ts';
import { grantSites } from './granted-profile.ts';

/** How long a run may take to get where a test wants it, on a machine that has other work. Milliseconds. */
const PATIENCE = 90_000;

const CARD = '[data-testid="approval-card"]';

/**
 * The whole product in a real Chromium, started by its own launcher: nothing is attached to the worker, the approvals are decided in the
 * real popup. One profile, over as many lives of the browser as the test wants.
 */
export class Product {
  readonly profileDir: string;
  /** The build to run. */
  extensionDir = CHROMIUM_BUILD;
  /** The extension's page that is opened at the launch, to ask the background through. */
  home = 'app.html#/approvals';
  #browser: LaunchedBrowser | undefined;
  #page: ExtensionPage | undefined;

  constructor(profileDir: string) {
    this.profileDir = profileDir;
  }

  get browser(): LaunchedBrowser {
    if (!this.#browser) throw new Error('The browser is not running.');
    return this.#browser;
  }

  /** The extension's app page, through which the background is asked. */
  get page(): ExtensionPage {
    if (!this.#page) throw new Error('The browser is not running.');
    return this.#page;
  }

  /** Grants sites as a person would have. The browser must not be running. */
  async grant(...sites: string[]): Promise<void> {
    await grantSites(this.profileDir, sites, this.extensionDir);
  }

  /** Starts the browser on the profile and waits until the background has recovered. Headless unless a display is given. */
  async launch(display?: { env: NodeJS.ProcessEnv }): Promise<void> {
    this.#browser = await launchBrowser({
      profileDir: this.profileDir,
      extensionDir: this.extensionDir,
      headless: display === undefined,
      timeoutMs: PATIENCE,
      env: display?.env,
    });
    await this.reopen();
  }

  /** Opens the app page anew, after the extension was loaded anew and took its pages with it, and waits for the background. */
  async reopen(): Promise<void> {
    const { cdp } = this.browser;
    // Until the extension is there again its address leads nowhere.
    const page = await until(
      async () => {
        const opened = await openExtensionPage(cdp, this.home);
        if (await opened.evaluate<boolean>("typeof chrome !== 'undefined' && chrome.runtime?.id !== undefined"))
          return opened;
        await opened.close();
        return undefined;
      },
      () => new Error('The extension does not come back.'),
      PATIENCE,
    );
    this.#page = page;
    await untilReady(backgroundOf(page), PATIENCE);
  }

  /** Ends the browser as a person would. */
  async close(): Promise<void> {
    await this.#browser?.close();
    this.#browser = undefined;
    this.#page = undefined;
  }

  /** Ends the browser as a power cut would. */
  async kill(): Promise<void> {
    await this.#browser?.kill();
    this.#browser = undefined;
    this.#page = undefined;
  }

  /** Stops the worker, as the browser does when it likes. The next event starts a fresh one. */
  async stopWorker(): Promise<void> {
    const { session } = this.page;
    const before = await this.#workers();
    await session.send('ServiceWorker.enable');
    await session.send('ServiceWorker.stopAllWorkers');
    await session.send('ServiceWorker.disable');
    await until(
      async () => !(await this.#workers()).some((id) => before.includes(id)),
      () => new Error('The worker did not stop.'),
    );
  }

  /** Ids of the lives of the worker that are there now: one or none. */
  #workers(): Promise<string[]> {
    return this.page.evaluate(
      "chrome.runtime.getContexts({ contextTypes: ['BACKGROUND'] }).then((all) => all.map(({ contextId }) => contextId))",
    );
  }

  /** A session with the page that is open at an address that begins so. */
  async pageAt(url: string): Promise<CdpSession> {
    const { cdp } = this.browser;
    const target = (await cdp.targets()).find((one) => one.type === 'page' && one.url.startsWith(url));
    if (!target) throw new Error(`No page is open at ${url}.`);
    return cdp.attach(target.targetId);
  }

  /** Asks the background as the extension's own pages do. */
  ask<K extends RequestName>(name: K, payload: Requests[K]['in']): Promise<Requests[K]['out']> {
    return backgroundOf(this.page).ask(name, payload);
  }

  command(command: Requests['command.send']['in']['command']): Promise<Requests['command.send']['out']> {
    return backgroundOf(this.page).command(command);
  }

  /** Imports a workflow and starts it. @throws Error with what was refused */
  async start(source: string, input: JsonObject = {}): Promise<string> {
    const imported = await this.ask('workflow.import', { source, enable: true });
    if ('refused' in imported) throw new Error(JSON.stringify(imported.refused));
    const started = await this.ask('run.start', { workflowId: imported.workflowId, input });
    if ('refused' in started) throw new Error(JSON.stringify(started.refused));
    return started.runId;
  }

  async detail(runId: string): Promise<RunDetail> {
    const detail = await this.ask('run.get', { runId });
    if (!detail) throw new Error(`There is no run ${runId}.`);
    return detail;
  }

  /** Waits until a look at the run gives something. @throws Error that shows the steps, when it has ended without or takes too long */
  async look<T>(runId: string, what: string, check: (detail: RunDetail) => T | undefined | false): Promise<T> {
    let last: RunDetail | undefined;
    const failure = () => new Error(`${what} never came:\n${last ? stepsOf(last) : 'no look'}`);
    return until(
      async () => {
        last = await this.detail(runId);
        const found = check(last);
        if (!found && FINAL_RUN.includes(last.run.status)) throw failure();
        return found;
      },
      failure,
      PATIENCE,
    );
  }

  /** The one approval that the run waits for. @param path of the step that asks, where a particular one is meant */
  pending(runId: string, path?: string): Promise<ApprovalRow> {
    return this.look(runId, `an approval of ${path ?? 'any step'}`, ({ approvals }) =>
      approvals.find((row) => row.status === 'pending' && (path === undefined || row.path === path)),
    );
  }

  /** The run once it has ended. */
  ended(runId: string): Promise<RunDetail> {
    return this.look(runId, 'its end', (detail) => FINAL_RUN.includes(detail.run.status) && detail);
  }

  /** Opens the real popup, does something in it, and closes it. The newest approval is the one that it shows. */
  async inPopup<T>(work: (popup: Popup) => Promise<T>): Promise<T> {
    const popup = await openPopup(this.page);
    try {
      return await work(popup);
    } finally {
      await popup.close().catch(() => undefined);
    }
  }

  /** Decides in the real popup, on the card that has the approval's hash. @throws Error when the popup shows another one, or refuses */
  async decide(approval: ApprovalRow, button: 'approve' | 'reject'): Promise<void> {
    const card = `${CARD}[data-hash="${approval.hash}"]`;
    await this.inPopup(async (popup) => {
      await see(popup, `${card} [data-testid="decision"]:not([data-inert])`);
      await popup.click(`${card} [data-testid="${button}"]`);
      await this.#untilDecided(approval, popup);
    });
  }

  async #untilDecided({ runId, approvalId }: ApprovalRow, popup: Popup): Promise<void> {
    await until(
      async () => {
        const { approvals } = await this.detail(runId);
        return approvals.some((row) => row.approvalId === approvalId && row.status !== 'pending');
      },
      () => new Error('The click in the popup decided nothing.'),
      20_000,
    ).catch(async (error: unknown) => {
      const shown = await popup.evaluate<string>('document.body.innerText').catch(() => '');
      throw new Error(`${String(error)} It shows:\n${shown}`);
    });
  }
}

/** Waits until an element that matches is in a page. */
export async function see(popup: Pick<Popup, 'evaluate'>, selector: string): Promise<void> {
  await until(
    () => popup.evaluate<boolean>(`document.querySelector(${JSON.stringify(selector)}) !== null`),
    () => new Error(`Nothing matches ${selector}.`),
    30_000,
  );
}

function stepsOf({ run, steps }: RunDetail): string {
  const rows = steps.map(
    ({ path, status, wait, error }) =>
      `  ${path} ${status} ${wait?.kind ?? ''} ${error ? `${error.code} ${error.message}` : ''}`,
  );
  return [`run ${run.status} ${run.error ? `${run.error.code} ${run.error.message}` : ''}`, ...rows].join('\n');
}

/** Playwright's runner with the product on a profile of the test's own. Not launched yet, so that grants can be seeded. */
export const test = base.extend<{ product: Product }>({
  product: async ({ browserName: _ }, use) => {
    const profileDir = await mkdtemp(join(tmpdir(), 'tabloom-product-'));
    const product = new Product(profileDir);
    try {
      await use(product);
    } finally {
      await product.kill();
      await rm(profileDir, { recursive: true, force: true, maxRetries: 5 });
    }
  },
});

export { expect } from '@playwright/test';
