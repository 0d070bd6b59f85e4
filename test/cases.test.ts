import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { runTestFiles } from '../src/cli/test-runner/index.ts';

const ROOT = resolve(import.meta.dirname, '..');
const files = ['src/examples', 'test/cases'].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.test.yaml'))
    .map((name) => join(ROOT, folder, name)),
);

it.each(files)('%s: its cases pass, and count for what the tests have been to', async (file) => {
  for await (const { name, failures } of runTestFiles([file])) expect(failures, name).toEqual([]);
});
