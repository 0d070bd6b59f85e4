import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize, resolve } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, test as base, chromium, expect, type Page } from '@playwright/test';
import preact from '@preact/preset-vite';
import { build } from 'vite';
import { requireChromium } from '../../src/cli/browser/find.ts';
import { QUIET_FLAGS, sandboxFlags } from '../../src/cli/browser/flags.ts';
import { madeOnce } from './run-folder.ts';
import { type FakeAnswers, type FakeWindow, installFakeBrowser } from './ui-harness-browser.ts';

/**
 * Shows the extension's own pages in a plain page: built as they are, served under the extension's CSP, with a `browser` that answers
 * the protocol from fixtures. So every state of a screen can be shown, without a background.
 */
const ROOT = resolve(import.meta.dirname, '../..');
const CSP = "script-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'";
const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.png': 'image/png',
};

export type SurfaceName = 'popup' | 'sidepanel' | 'app';

export interface OpenOptions {
  answers: FakeAnswers;
  width: number;
  height?: number;
  hash?: string;
  scheme?: 'light' | 'dark';
  /** Kept look: language and theme as Settings store them. */
  look?: { language?: string; theme?: string };
  /** Put the page's timers under the test's control. */
  clock?: boolean;
}

interface Pages {
  /** Base address of the served pages. */
  url: string;
  browser: Browser;
}

/** Playwright's `test` with `open(surface, options)`; pages and browser are made once per worker. */
export const test = base.extend<
  { open: (surface: SurfaceName, options: OpenOptions) => Promise<Page> },
  { pages: Pages }
>({
  pages: [
    async ({ browserName: _ }, use) => {
      const dir = await madeOnce('ui-pages', buildPages);
      const server = await serve(dir);
      const browser = await chromium.launch({
        executablePath: requireChromium().path,
        args: [...QUIET_FLAGS, ...sandboxFlags()],
      });
      await use({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, browser });
      await browser.close();
      server.close();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  open: async ({ pages }, use) => {
    const contexts: { close(): Promise<void> }[] = [];
    const faults: string[] = [];
    await use(async (surface, { answers, width, height = 700, hash = '', scheme = 'light', look, clock }) => {
      const context = await pages.browser.newContext({
        viewport: { width, height },
        colorScheme: scheme,
        reducedMotion: 'reduce',
        locale: 'en-GB',
        timezoneId: 'Europe/Berlin',
      });
      contexts.push(context);
      await context.addInitScript(installFakeBrowser, { answers: answers as Record<string, unknown>, look });
      const page = await context.newPage();
      if (clock) await page.clock.install();
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
      await page.goto(`${pages.url}/${surface}/index.html${hash}`);
      return page;
    });
    for (const context of contexts) await context.close();
    expect(faults, 'errors in the page').toEqual([]);
  },
});

export { expect };

/** What the page has asked of the background, in order. */
export function asked(page: Page, name?: string): Promise<{ name: string; payload: unknown }[]> {
  return page.evaluate(
    (which) => (window as unknown as FakeWindow).fake.asked.filter((one) => which === undefined || one.name === which),
    name,
  );
}

/** Changes answers and tells the page that something changed. */
export async function change(page: Page, answers: FakeAnswers, runId?: string): Promise<void> {
  await page.evaluate(
    ([next, id]) => {
      const { fake } = window as unknown as FakeWindow;
      Object.assign(fake.answers, next);
      fake.push({
        type: 'changed',
        what: ['runs', 'approvals', 'workflows'],
        ...(id === undefined ? {} : { runId: id }),
      });
    },
    [answers as Record<string, unknown>, runId] as const,
  );
}

/** Runs axe over the page; the test fails on any violation of WCAG A, AA or best practice. */
export async function expectAccessible(page: Page): Promise<void> {
  // Without the second page that puts together what frames have said: there are none. Nor is it of use to hear of what is right.
  const result = await new AxeBuilder({ page })
    .setLegacyMode()
    .options({ resultTypes: ['violations'] })
    .analyze();
  expect(
    result.violations.map(
      (violation) =>
        `${violation.id}: ${violation.nodes.map((node) => `${node.target.join(' ')} ${node.failureSummary ?? ''}`).join('; ')}`,
    ),
  ).toEqual([]);
}

/** Fails when the page is wider than its window: nothing may be cut off at the side. */
export async function expectNoSideScroll(page: Page): Promise<void> {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(over, 'pixels that the page is too wide').toBeLessThanOrEqual(0);
}

async function buildPages(outDir: string): Promise<void> {
  const input = Object.fromEntries(
    ['popup', 'sidepanel', 'app'].map((name) => [name, join(ROOT, 'entrypoints', name, 'index.html')]),
  );
  await build({
    configFile: false,
    root: join(ROOT, 'entrypoints'),
    publicDir: join(ROOT, 'src/public'),
    logLevel: 'error',
    plugins: [preact()],
    build: { outDir, emptyOutDir: true, minify: false, rollupOptions: { input } },
  });
}

async function serve(dir: string): Promise<Server> {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://localhost').pathname);
    if (path === '/favicon.ico') return void response.writeHead(204).end();
    readFile(join(dir, path)).then(
      (body) =>
        response
          .writeHead(200, {
            'content-type': TYPES[extname(path)] ?? 'application/octet-stream',
            'content-security-policy': CSP,
          })
          .end(body),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return server;
}

/** How a page of the app is looked at: light and dark on a wide window, as narrow as the side panel, and in the longer language. */
export const APP_LOOKS: readonly (readonly [name: string, look: Pick<OpenOptions, 'width' | 'scheme' | 'look'>])[] = [
  ['light', { scheme: 'light', width: 1000 }],
  ['dark', { scheme: 'dark', width: 1000 }],
  ['narrow', { scheme: 'light', width: 320 }],
  ['German', { scheme: 'light', width: 380, look: { language: 'de' } }],
];
