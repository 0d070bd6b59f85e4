import { defineConfig } from '@playwright/test';
import { openRunFolder } from './support/run-folder.ts';

openRunFolder();

/** Tests in real browsers, against the built extension: run `npm run build` first, or let `npm test` do it. */
export default defineConfig({
  testDir: './e2e',
  testMatch: '**/*.spec.ts',
  // Its own: each runner empties its folder when it begins, and another may be at work then.
  outputDir: '../test-results/e2e',
  workers: 2,
  retries: 0,
  forbidOnly: true,
  // Not a measure of anything: small, busy machines launch several browsers in one test.
  timeout: 180_000,
  expect: { timeout: 10_000 },
  reporter: 'line',
});
