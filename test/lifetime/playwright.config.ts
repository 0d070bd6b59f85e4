import { defineConfig } from '@playwright/test';
import { openRunFolder } from '../support/run-folder.ts';

openRunFolder();

/**
 * Tests that take real minutes, since a browser ends a worker by its own clock: nearly all of that is waiting, so several browsers wait at
 * once, and the gate runs these beside the other tests. Run `npm run build` and `npm run build:firefox` first, or let `npm test` do it.
 */
export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  outputDir: '../../test-results/lifetime',
  // In the order of the files, so that the longest begins first.
  fullyParallel: true,
  workers: 3,
  retries: 0,
  forbidOnly: true,
  // Not a measure of anything: ten minutes of waiting, and a machine that launches other browsers meanwhile.
  timeout: 16 * 60_000,
  expect: { timeout: 60_000 },
  reporter: 'line',
});
