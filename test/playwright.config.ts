import { defineConfig } from '@playwright/test';

/** Tests in real browsers, against the built extension: run `npm run build` first, or let `npm test` do it. */
export default defineConfig({
  testDir: './e2e',
  testMatch: '**/*.spec.ts',
  outputDir: '../test-results',
  workers: 2,
  retries: 0,
  forbidOnly: true,
  // Not a measure of anything: small, busy machines launch several browsers in one test.
  timeout: 180_000,
  expect: { timeout: 10_000 },
  reporter: 'line',
});
