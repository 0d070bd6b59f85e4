import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type BrowserContext, chromium, type Page, type Worker } from '@playwright/test';
import { build } from 'vite';
import { requireChromium } from '../../../src/cli/browser/find.ts';
import { extensionFlags, QUIET_FLAGS } from '../../../src/cli/browser/flags.ts';
import type { ErrorInfo } from '../../../src/model/errors.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import type { RunTabs } from '../../../src/model/run.ts';
import type { PageResult } from '../../../src/ports/pages.ts';
import type { Contender } from './contender.ts';
import type { BenchSite } from './site.ts';
import type { Ask } from './worker.ts';

/** Name under which the worker has what answers {@link Ask}. */
const BENCH_GLOBAL = 'tabloomBench';

const BUILD = resolve(import.meta.dirname, '../../../.output/chrome-mv3');

/** Tabloom beside the others, with what only it is asked for. */
export interface Ours extends Contender {
  /** Output of an action of one run that goes on. @throws Error that names code and message where it fails */
  act(action: string, args: JsonObject): Promise<JsonObject>;
  context: BrowserContext;
  /** Background of the extension. */
  worker: Worker;
  /** Of the tab in which the run works, as the browser knows it. */
  readonly tabId: number;
  /** Milliseconds of snapshots of the page that is open, in the page alone. */
  snapshotsWithin(rounds: number): Promise<number[]>;
  /** Of the browser. */
  version: string;
}

/**
 * Tabloom's page actions in a Chromium of its own: a copy of the build whose background holds the actions and nothing else, since there is no
 * way yet to ask the product for a single action from outside. A call goes from Node over the browser's protocol to that background, through
 * the whole of the action, and back the same way.
 * @throws Error where there is no build or no Chromium
 */
export async function startOurs(site: Pick<BenchSite, 'origin'>): Promise<Ours> {
  const folder = await mkdtemp(join(tmpdir(), 'tabloom-bench-pages-'));
  const extension = join(folder, 'extension');
  await buildExtension(extension);
  const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
    executablePath: requireChromium().path,
    headless: true,
    chromiumSandbox: process.getuid?.() !== 0,
    args: [...QUIET_FLAGS, ...extensionFlags(extension)],
    ignoreDefaultArgs: ['--disable-popup-blocking'],
  });
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  const run = new BenchRun(worker, site);
  return {
    name: 'Tabloom',
    version: context.browser()?.version() ?? '',
    context,
    worker,
    get tabId() {
      return run.tabId;
    },
    act: (action, args) => run.act(action, args),
    navigate: async (url) => void (await run.act('navigate', { url })),
    snapshot: async () => String((await run.act('snapshot', {})).text),
    click: async (ref) => void (await run.act('click', { target: { ref } })),
    ref: /button "Count" \[ref=(e\d+)\]/,
    clicks: () => pageOf(context, site).evaluate('window.c'),
    async snapshotsWithin(rounds) {
      return (await run.ask({ within: { tabId: run.tabId, rounds } })) as number[];
    },
    async close() {
      await context.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function pageOf(context: BrowserContext, site: Pick<BenchSite, 'origin'>): Page {
  const page = context.pages().find((one) => one.url().startsWith(site.origin));
  if (!page) throw new Error('The page that was opened is not to be seen.');
  return page;
}

/** A run as the engine would drive it. */
class BenchRun {
  readonly #worker: Worker;
  readonly #sites: string[];
  #tabs: RunTabs = { list: [], next: 1 };
  #calls = 0;

  constructor(worker: Worker, site: Pick<BenchSite, 'origin'>) {
    this.#worker = worker;
    this.#sites = [`${site.origin}/*`];
  }

  get tabId(): number {
    return this.#tabs.list[0]?.browserTabId ?? -1;
  }

  async ask(message: Ask): Promise<unknown> {
    const { result, error } = (await this.#worker.evaluate(
      ([name, sent]) => (globalThis as unknown as Record<string, (asked: object) => unknown>)[name]?.(sent),
      [BENCH_GLOBAL, message as object] as const,
    )) as {
      result?: unknown;
      error?: ErrorInfo;
    };
    if (error) throw new Error(`Tabloom: ${error.code} ${error.message}`);
    return result;
  }

  async act(action: string, args: JsonObject): Promise<JsonObject> {
    this.#calls += 1;
    const { output, tabs } = (await this.ask({
      act: {
        runId: 'bench',
        path: `step${this.#calls}`,
        attempt: 1,
        action,
        arguments: args,
        secrets: [],
        tabs: this.#tabs,
        sites: this.#sites,
        timeoutMs: 30_000,
        idempotencyKey: `bench/${this.#calls}`,
      },
    })) as PageResult;
    this.#tabs = tabs;
    return output as JsonObject;
  }
}

async function buildExtension(folder: string): Promise<void> {
  await cp(BUILD, folder, { recursive: true });
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      outDir: folder,
      emptyOutDir: false,
      lib: {
        entry: resolve(import.meta.dirname, 'worker.ts'),
        formats: ['iife'],
        name: 'bench',
        fileName: () => 'bench-worker.js',
      },
    },
  });
  const file = join(folder, 'manifest.json');
  const manifest = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
  const changed = {
    ...manifest,
    background: { service_worker: 'bench-worker.js' },
    host_permissions: ['http://127.0.0.1/*'],
  };
  await writeFile(file, JSON.stringify(changed));
}
