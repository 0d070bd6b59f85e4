import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import config from '../../wxt.config.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** What our pages rely on, and the first Chromium that has it. */
const NEEDS: [RegExp, number][] = [
  [/light-dark\(/, 123],
  [/@starting-style/, 117],
  [/\bpopover\b/, 114],
  [/:has\(/, 105],
];

function styles(folder: string): string {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.css'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
}

it('the oldest Chromium that may install the extension has all that its styles rely on', async () => {
  const css = styles('components') + styles('entrypoints');
  expect(css).toContain('light-dark(');
  const { manifest } = config;
  if (typeof manifest !== 'function') throw new Error('the manifest is made by a function');
  const made = await manifest({ browser: 'chrome', mode: 'production', command: 'build', manifestVersion: 3 });
  const needed = NEEDS.filter(([form]) => form.test(css)).map(([, version]) => version);
  expect(Number(made.minimum_chrome_version)).toBeGreaterThanOrEqual(Math.max(...needed));
});
