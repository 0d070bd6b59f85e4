import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect } from '@playwright/test';
import type { RunDetail } from '../../src/app/protocol.ts';
import { until } from '../../src/cli/browser/page.ts';
import { failureText, treeText } from '../../src/cli/run/tree.ts';
import { type BadSite, startBadSite } from './bad-site.ts';
import { Product, see } from './product.ts';

/** Sites that the shared browser grants. Nothing is at the last one, and no name server knows it. */
export const GRANTED = ['http://127.0.0.1/*', 'http://localhost/*', 'https://127.0.0.1/*', 'http://nowhere.invalid/*'];

interface Shared {
  /** One running product for all tests of a worker. */
  shared: Product;
  site: BadSite;
}

/** Playwright's runner with one browser and one site for many cases. */
export const test = base.extend<object, Shared>({
  site: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern
    async ({}, use) => {
      const site = await startBadSite();
      await use(site);
      await site.close();
    },
    { scope: 'worker' },
  ],
  shared: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern
    async ({}, use) => {
      const profileDir = await mkdtemp(join(tmpdir(), 'tabloom-bad-input-'));
      const product = new Product(profileDir);
      try {
        await product.grant(...GRANTED);
        await product.launch();
        await use(product);
      } finally {
        await product.kill();
        await rm(profileDir, { recursive: true, force: true, maxRetries: 5 });
      }
    },
    { scope: 'worker', timeout: 180_000 },
  ],
});

/** A workflow file over some sites. @param steps lines of YAML */
export function fileOf(id: string, sites: readonly string[], steps: readonly string[]): string {
  return `format: tabloom/v1
id: ${id}
name: Case ${id}
sites: ${JSON.stringify(sites)}
timeout: 10m
defaults: { timeout: 60s, retry: { maxAttempts: 1 } }
steps:
${steps.map((step) => `  - ${step}`).join('\n')}
output: { done: true }
`;
}

/** The text of an error is for people: one sentence, without the machine's own words. */
export function expectSentence(message: string): void {
  expect(message).toMatch(/^[A-Z"“].*[.]$/s);
  expect(message).not.toContain('\n');
  expect(message.length).toBeLessThan(400);
  expect(message).not.toMatch(/\[object |undefined|\bnull\b|TypeError|executeScript|frameId|tabId|at Object\.|Promise/);
}

/** What the terminal shows of a run at its end, the tree and the last line, says the same as the run. */
export function expectAtTerminal(detail: RunDetail): void {
  const { error } = detail.run;
  expect(treeText(detail, Date.now())).toContain(`${error?.code}: ${error?.message}`);
  expect(failureText(detail)).toBe(
    `Failed${error?.step === undefined ? '' : ` at ${error.step}`} with ${error?.code}: ${error?.message}`,
  );
}

/** What the real popup shows of a failed run. */
export async function failureInPopup(product: Product, runId: string): Promise<string> {
  const card = `[data-testid="failed-run"][data-run="${runId}"]`;
  return product.inPopup(async (popup) => {
    await see(popup, card);
    return popup.evaluate<string>(`document.querySelector(${JSON.stringify(card)}).innerText`);
  });
}

/** The browser's number of the run's current tab. */
export async function tabOf(product: Product, runId: string): Promise<number> {
  return product.look(
    runId,
    'a tab',
    ({ run }) => run.tabs?.list.find(({ closed }) => closed === undefined)?.browserTabId,
  );
}

/** Calls the extension API for tabs, as the person's hand at the browser would act. */
export function tabs(product: Product, call: string): Promise<unknown> {
  return product.page.evaluate(`chrome.tabs.${call}.then(() => null)`);
}

/** Waits until a step is at work, and has been long enough to be in the page. */
export async function atWork(product: Product, runId: string, path: string): Promise<void> {
  await product.look(runId, `${path} at work`, ({ steps }) =>
    steps.some((row) => row.path === path && row.status === 'running'),
  );
}

/** Waits until something is so. */
export function eventually(what: string, check: () => Promise<boolean> | boolean): Promise<boolean> {
  return until(
    async () => check(),
    () => new Error(`${what}: it never came.`),
    60_000,
  );
}

export { expect };
