import { resolve } from 'node:path';
import preact from '@preact/preset-vite';
import { defineConfig } from 'vitest/config';

/** Unit tests: no browser, no network. A test that needs a DOM says so: `// @vitest-environment happy-dom`. */
export default defineConfig({
  root: resolve(import.meta.dirname, '..'),
  plugins: [preact()],
  // The polyfill throws outside an extension.
  resolve: { alias: { 'wxt/browser': resolve(import.meta.dirname, 'support/extension-fake.ts') } },
  test: {
    include: ['test/**/*.test.{ts,tsx}', 'src/**/*.test.ts', 'components/**/*.test.tsx'],
    environment: 'node',
    testTimeout: 10_000,
    maxWorkers: 2,
    // A property that fails must fail again: fast-check prints its seed, and the clock is a port.
    unstubGlobals: true,
    restoreMocks: true,
  },
});
