import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium } from '@playwright/test';
import { build } from 'vite';
import { requireChromium } from '../../src/cli/browser/find.ts';
import type { BrowserFigures } from './page.ts';

/**
 * Runs `page.ts` in a real Chromium with a profile on disk, served from this machine.
 * @throws Error of the benchmark in the page, or where no Chromium is found
 */
export async function measureBrowser(): Promise<BrowserFigures & { version: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'tabloom-bench-'));
  try {
    const entry = resolve(import.meta.dirname, 'page.ts');
    const lib = { entry, formats: ['iife' as const], name: 'bench', fileName: () => 'bench.js' };
    await build({ configFile: false, logLevel: 'error', build: { outDir: join(folder, 'page'), lib } });
    const script = await readFile(join(folder, 'page', 'bench.js'));
    const server = createServer((request, response) => {
      const isScript = request.url === '/bench.js';
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
      response.end(isScript ? script : '<!doctype html><title>bench</title><script src="/bench.js"></script>');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
      executablePath: requireChromium().path,
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    });
    try {
      const page = await context.newPage();
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      const told = await page.evaluate<{ figures?: BrowserFigures; error?: string }>('measured');
      if (!told.figures) throw new Error(`In the browser: ${told.error}`);
      return { ...told.figures, version: context.browser()?.version() ?? '' };
    } finally {
      await context.close();
      server.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
