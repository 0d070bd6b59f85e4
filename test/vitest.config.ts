import { resolve } from 'node:path';
import preact from '@preact/preset-vite';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './gate/longest-first.ts';

/** Unit tests: no browser, no network. A test that needs a DOM says so: `// @vitest-environment happy-dom`. */
export default defineConfig({
  root: resolve(import.meta.dirname, '..'),
  plugins: [preact()],
  // The polyfill throws outside an extension.
  resolve: { alias: { 'wxt/browser': resolve(import.meta.dirname, 'support/extension-fake.ts') } },
  test: {
    include: ['test/**/*.test.{ts,tsx}', 'src/**/*.test.ts', 'components/**/*.test.tsx'],
    environment: 'node',
    // A machine that has other work is not a wrong product.
    expect: { poll: { timeout: 9000 } },
    // Code that is watched runs several times slower.
    testTimeout: process.argv.includes('--coverage') ? 60_000 : 10_000,
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    // A property that fails must fail again: fast-check prints its seed, and the clock is a port.
    unstubGlobals: true,
    restoreMocks: true,
    // Asked for by --coverage, of all tests together; the engine is what must not have a corner that nothing has been to.
    coverage: {
      provider: 'v8',
      include: ['src/engine/**'],
      reporter: ['json-summary', 'json'],
      reportsDirectory: 'test-results/coverage',
      reportOnFailure: true,
      // Below it the run fails.
      thresholds: { branches: 95 },
    },
  },
});
