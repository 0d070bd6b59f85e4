import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect } from '@playwright/test';
import type { RequestName, Requests, ResponseMessage, RunDetail } from '../../src/app/protocol.ts';
import { until } from '../../src/cli/browser/page.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { type ApprovalRow, FINAL_RUN } from '../../src/model/run.ts';
import type { BidiSession } from './bidi.ts';
import { FIREFOX_BUILD, type FirefoxWithExtension, launchFirefox } from './firefox.ts';

const PATIENCE = 240_000;
const CARD = '[data-testid="approval-card"]';

/** The whole product in a real Firefox, installed for good: one profile, over as many lives of the browser as the test wants. */
export class FirefoxProduct {
  readonly profile: string;
  #firefox: FirefoxWithExtension | undefined;
  #page: string | undefined;

  constructor(profile: string) {
    this.profile = profile;
  }

  get firefox(): FirefoxWithExtension {
    if (!this.#firefox) throw new Error('Firefox is not running.');
    return this.#firefox;
  }

  get bidi(): BidiSession {
    return this.firefox.bidi;
  }

  /** Starts Firefox on the profile, opens the app page and waits until the background has recovered. */
  async launch(preferences: Record<string, unknown> = {}): Promise<void> {
    this.#firefox = await launchFirefox(FIREFOX_BUILD, preferences, this.profile);
    await this.openPage();
    await until(
      () => this.ask('health.get', {}).then(({ ready }) => ready),
      () => new Error('The background did not get ready.'),
      PATIENCE,
    );
  }

  /** Opens the app page, through which the background is asked. */
  async openPage(): Promise<void> {
    // Right after the start the extension may not be there yet, and its address leads nowhere.
    this.#page = await until(
      () => this.open('app.html#/approvals').catch(() => undefined),
      () => new Error('The extension is not there.'),
      PATIENCE,
    );
  }

  async closePage(): Promise<void> {
    const context = this.#page;
    this.#page = undefined;
    if (context !== undefined) await this.bidi.send('browsingContext.close', { context });
  }

  async close(): Promise<void> {
    await this.#firefox?.close();
    this.#firefox = undefined;
  }

  async kill(): Promise<void> {
    await this.#firefox?.kill();
    this.#firefox = undefined;
  }

  /** Opens one of the extension's pages in a tab. @returns its context */
  open(page: string): Promise<string> {
    return this.bidi.openTab(this.firefox.url(page));
  }

  evaluate<T>(expression: string): Promise<T> {
    if (this.#page === undefined) throw new Error('No page of the extension is open.');
    return this.bidi.evaluate<T>(this.#page, expression);
  }

  /** Asks the background as the extension's own pages do. While it is being ended it may not answer; the question is then put again. */
  async ask<K extends RequestName>(name: K, payload: Requests[K]['in']): Promise<Requests[K]['out']> {
    const message = JSON.stringify({ tabloom: 1, name, payload });
    const answer = await until(
      () =>
        this.evaluate<ResponseMessage<K> | null>(
          `browser.runtime.sendMessage(${message}).catch((error) => /establish connection|Promise was never/.test(error.message) ? null : Promise.reject(error))`,
        ).then((given) => given ?? undefined),
      () => new Error(`${name} was not answered.`),
      30_000,
    );
    if (!answer.ok) throw new Error(`${name}: ${answer.error.code} ${answer.error.message}`);
    return answer.value;
  }

  command(command: Requests['command.send']['in']['command']): Promise<Requests['command.send']['out']> {
    return this.ask('command.send', { commandId: randomUUID(), surface: 'app', command });
  }

  /** Grants what a workflow misses by clicks in the popup, as a person would: the prompt is the browser's and is switched off. */
  async grantByClick(workflowId: string): Promise<void> {
    const popup = await this.open('popup.html');
    const grant = '[data-testid="missing-grants"] [data-testid="grant"]';
    await this.click(popup, `[data-testid="start-${workflowId}"]`);
    await this.click(popup, grant);
    await expect
      .poll(() => this.bidi.evaluate(popup, `document.querySelector(${JSON.stringify(grant)}) === null`), {
        timeout: 30_000,
      })
      .toBe(true);
    await this.bidi.send('browsingContext.close', { context: popup });
  }

  async detail(runId: string): Promise<RunDetail> {
    const detail = await this.ask('run.get', { runId });
    if (!detail) throw new Error(`There is no run ${runId}.`);
    return detail;
  }

  async start(workflowId: string, input: JsonObject): Promise<string> {
    const started = await this.ask('run.start', { workflowId, input });
    if ('refused' in started) throw new Error(JSON.stringify(started.refused));
    return started.runId;
  }

  /** Waits until a look at the run gives something. @throws Error with the steps when it ends without, or takes too long */
  async look<T>(runId: string, what: string, check: (detail: RunDetail) => T | undefined | false): Promise<T> {
    let last: RunDetail | undefined;
    const failure = () =>
      new Error(
        `${what} never came: ${last?.run.status} ${JSON.stringify(last?.run.error)}\n${last?.steps
          .map(
            ({ path, status, wait, error }) =>
              `${path} ${status} ${wait ? JSON.stringify(wait) : ''} ${error?.message ?? ''}`,
          )
          .join('\n')}`,
      );
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

  pending(runId: string): Promise<ApprovalRow> {
    return this.look(runId, 'an approval', ({ approvals }) => approvals.find(({ status }) => status === 'pending'));
  }

  ended(runId: string): Promise<RunDetail> {
    return this.look(runId, 'its end', (detail) => FINAL_RUN.includes(detail.run.status) && detail);
  }

  /** Decides by a real click, in one of the pages that ask, on the card that has the approval's hash. */
  async decide({ runId, approvalId, hash }: ApprovalRow, button: 'approve' | 'reject', page: string): Promise<void> {
    const context = await this.open(page);
    const card = `${CARD}[data-hash="${hash}"]`;
    await this.click(
      context,
      `${card} [data-testid="${button}"]`,
      `${card} [data-testid="decision"]:not([data-inert])`,
    );
    await until(
      async () =>
        (await this.detail(runId)).approvals.some((row) => row.approvalId === approvalId && row.status !== 'pending'),
      () => new Error('The click decided nothing.'),
      PATIENCE,
    );
    await this.bidi.send('browsingContext.close', { context });
  }

  /** Clicks an element once it is there, in view, and something else is there too. */
  async click(context: string, selector: string, ready = selector): Promise<void> {
    const [target, other] = [selector, ready].map((each) => JSON.stringify(each));
    await until(
      () => this.bidi.evaluate<boolean>(context, `document.querySelector(${target}) !== null`),
      () => new Error(`Nothing matches ${selector}.`),
      60_000,
    );
    const scroll = `document.querySelector(${target}).scrollIntoView({ block: 'center', behavior: 'instant' })`;
    await this.bidi.evaluate(context, `(${scroll}, true)`);
    await until(
      () => this.bidi.evaluate<boolean>(context, `document.querySelector(${other}) !== null`),
      () => new Error(`Nothing matches ${ready}.`),
      60_000,
    );
    await this.bidi.click(context, selector);
  }
}

/** Playwright's runner with the product on a profile of the test's own. Not launched yet. */
export const test = base.extend<{ product: FirefoxProduct }>({
  product: async ({ browserName: _ }, use) => {
    const profile = await mkdtemp(join(tmpdir(), 'tabloom-firefox-'));
    const product = new FirefoxProduct(profile);
    try {
      await use(product);
    } finally {
      await product.kill();
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    }
  },
});

export { expect };
