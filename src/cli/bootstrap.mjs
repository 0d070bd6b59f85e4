// @ts-check
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePackages, findNode, main, ROOT, runScript, ToolchainError } from './toolchain.mjs';

/**
 * What `npm run …` calls, on any Node from 20.19: sees to the packages, finds a Node that runs TypeScript, and does the
 * rest on that one. `node src/cli/bootstrap.mjs start|test|test:fast|test:lifetime|kills|kills:browser|matrices|simulate|build|build:firefox|bench|bench:accname|bench:actions|<tool> [args]`.
 */
const PREPARE = 'src/cli/browser/prepare.ts';
const BENCH = 'test/bench/main.ts';
const BENCH_ACCNAME = 'test/bench/accname.ts';
const BENCH_ACTIONS = 'test/bench/actions/main.ts';
const KILLS = 'test/kills/main.ts';

/** Tools that only need our Node: where each one's program is. */
const TOOLS = {
  wxt: 'node_modules/wxt/bin/wxt.mjs',
  vitest: 'node_modules/vitest/vitest.mjs',
  playwright: 'node_modules/@playwright/test/cli.js',
};

/** @type {Record<string, (node: string, args: string[]) => Promise<number>>} */
const COMMANDS = {
  start: async (node, args) =>
    (await runScript(node, PREPARE, ['chromium', 'chrome', '--quiet'])) ||
    (await runScript(node, 'src/cli/main.ts', ['start', ...args])),
  test: (node, args) => runScript(node, 'test/gate.ts', args),
  'test:fast': (node, args) => runScript(node, 'test/gate.ts', ['--fast', ...args]),
  'test:e2e': async (node, args) =>
    (await runScript(node, PREPARE, ['chromium', 'chrome', 'firefox', '--quiet'])) ||
    (await runScript(node, TOOLS.playwright, ['test', '-c', 'test/playwright.config.ts', ...args])),
  'test:lifetime': async (node, args) =>
    (await runScript(node, PREPARE, ['chromium', 'chrome', 'firefox', '--quiet'])) ||
    (await runScript(node, TOOLS.playwright, ['test', '-c', 'test/lifetime/playwright.config.ts', ...args])),
  matrices: async (node, args) => {
    process.env.TABLOOM_MATRIX = 'all';
    const specs = ['test', '-c', 'test/playwright.config.ts', 'approvals.spec', 'restart.spec', 'bad-pages', ...args];
    return (
      (await runScript(node, PREPARE, ['chromium', 'chrome', '--quiet'])) ||
      (await runScript(node, TOOLS.playwright, specs))
    );
  },
  'kills:browser': async (node, args) => {
    process.env.TABLOOM_BROWSER_KILLS = 'all';
    const spec = ['test', '-c', 'test/playwright.config.ts', 'browser-kills', ...args];
    return (
      (await runScript(node, PREPARE, ['chromium', 'chrome', '--quiet'])) ||
      (await runScript(node, TOOLS.playwright, spec))
    );
  },
  build: (node) => runScript(node, PREPARE, ['chrome']),
  'build:firefox': (node) => runScript(node, PREPARE, ['firefox']),
  bench: async (node, args) => {
    if (!existsSync(join(ROOT, BENCH))) throw new ToolchainError(`There are no benchmarks here: ${BENCH} is missing.`);
    return (await runScript(node, PREPARE, ['chromium', 'chrome', '--quiet'])) || (await runScript(node, BENCH, args));
  },
  'bench:accname': async (node, args) =>
    (await runScript(node, PREPARE, ['chromium', '--quiet'])) || (await runScript(node, BENCH_ACCNAME, args)),
  'bench:actions': async (node, args) =>
    (await runScript(node, PREPARE, ['chromium', '--quiet'])) || (await runScript(node, BENCH_ACTIONS, args)),
  kills: async (node, args) =>
    (await runScript(node, PREPARE, ['chromium', 'chrome', '--quiet'])) || (await runScript(node, KILLS, args)),
  simulate: (node, args) => {
    process.env.TABLOOM_SIM_RUNS ??= '20000';
    const tests = ['test/engine/simulation.test.ts', 'test/engine/fence.test.ts'];
    return runScript(node, TOOLS.vitest, ['run', '-c', 'test/vitest.config.ts', ...tests, ...args]);
  },
  ...Object.fromEntries(
    Object.entries(TOOLS).map(([name, script]) => [
      name,
      (/** @type {string} */ node, /** @type {string[]} */ args) => runScript(node, script, args),
    ]),
  ),
};

await main(async () => {
  const [name = '', ...args] = process.argv.slice(2);
  const command = COMMANDS[name];
  if (!command) {
    throw new ToolchainError(`"${name}" is none of ${Object.keys(COMMANDS).join(', ')}: name one of them.`);
  }
  ensurePackages();
  return command(findNode(), args);
});
