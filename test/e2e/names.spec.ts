import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from '@playwright/test';
import { build } from 'vite';
import { test } from '../support/pages/run.ts';

/** Roles and accessible names as the page script gives them, in a real Chromium. More of them: `npm run bench:accname`. */
test('roles and names: labels, content, references, fields in labels, style sheets, shadow trees', async ({
  harness,
  server,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'tabloom-names-'));
  const entry = resolve(import.meta.dirname, '../bench/accname-page.ts');
  const lib = { entry, formats: ['iife' as const], name: 'names', fileName: () => 'names.js' };
  await build({ configFile: false, logLevel: 'error', build: { outDir: folder, lib } });
  const page = await harness.context.newPage();
  try {
    await page.goto(`${server.origin}/names`);
    await page.addScriptTag({ content: await readFile(join(folder, 'names.js'), 'utf8') });
    const found = await page.evaluate(() => {
      const { nameOf, roleOf } = (
        globalThis as unknown as {
          tabloomNames: { nameOf(element: Element): string; roleOf(element: Element): string };
        }
      ).tabloomNames;
      return [...document.querySelectorAll('[data-role]')].map((element) => ({
        html: element.outerHTML.slice(0, 120),
        expected: [element.getAttribute('data-role'), element.getAttribute('data-name')],
        found: [roleOf(element), nameOf(element)],
      }));
    });
    expect(found.length).toBeGreaterThan(50);
    for (const one of found) expect.soft(one.found, one.html).toEqual(one.expected);
  } finally {
    await page.close();
    await rm(folder, { recursive: true, force: true });
  }
});
