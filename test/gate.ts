/**
 * `npm test`: everything that must hold, group by group, then one line `N passed, N failed`. `--fast` leaves out the
 * groups that need a browser. Run by the bootstrap on a Node that runs TypeScript. Ends with 1 when anything failed.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ensureBuild } from '../src/cli/browser/build.ts';
import { ensureChromium } from '../src/cli/browser/find.ts';
import { aptInstall, canAptInstall, onPath } from '../src/cli/browser/install.ts';
import { findFirefox } from './support/firefox.ts';

interface Count {
  passed: number;
  failed: number;
}

interface Group {
  name: string;
  /** Part of `npm run test:fast`: needs no browser. */
  fast: boolean;
  /** What must have worked before; where it did not, the group counts as one failure and is not run. */
  needs?: string;
  /** Prepares only: nothing to count when it works. */
  setup?: boolean;
  /** Why there is nothing to run here, if so: that is said, and is no failure. */
  absent?: () => string | undefined;
  run: () => Promise<Count>;
}

const ROOT = resolve(import.meta.dirname, '..');
const RESULTS = join(ROOT, 'test-results', 'gate');
const CASES_DIR = resolve(ROOT, '../shared/cases');
const CASES_LIST = join(import.meta.dirname, 'cases.list.ts');

/** No program of the gate may hang for ever. */
const LIMIT_MS = 20 * 60_000;

const OK: Count = { passed: 1, failed: 0 };
const FAILED: Count = { passed: 0, failed: 1 };

const groups: Group[] = [
  { name: 'tools', fast: false, setup: true, run: ensureTools },
  { name: 'build', fast: false, setup: true, run: build },
  { name: 'types', fast: true, run: () => one('node_modules/typescript/bin/tsc', ['--noEmit']) },
  { name: 'lint', fast: true, run: () => one('node_modules/@biomejs/biome/bin/biome', ['check', '--colors=off']) },
  { name: 'unit', fast: true, run: unit },
  { name: 'e2e', fast: false, needs: 'build', run: e2e },
  {
    name: 'cases',
    fast: true,
    absent: () => (existsSync(CASES_DIR) ? undefined : `${CASES_DIR} is not here`),
    run: cases,
  },
];

await main();

async function main(): Promise<void> {
  const fast = process.argv.includes('--fast');
  mkdirSync(RESULTS, { recursive: true });
  const broken = new Set<string>();
  const total: Count = { passed: 0, failed: 0 };
  for (const group of groups.filter((candidate) => candidate.fast || !fast)) {
    const reason = group.absent?.();
    if (reason) {
      console.log(`${group.name.padEnd(8)} not run: ${reason}`);
      continue;
    }
    const start = performance.now();
    const count = await runGroup(group, broken);
    if (count.failed > 0) broken.add(group.name);
    total.passed += count.passed;
    total.failed += count.failed;
    const outcome =
      group.setup && !count.failed ? 'ready' : `${count.passed} ok${count.failed ? `, ${count.failed} FAILED` : ''}`;
    console.log(`${group.name.padEnd(8)} ${outcome.padEnd(24)} ${((performance.now() - start) / 1000).toFixed(1)} s`);
  }
  console.log(`${total.passed} passed, ${total.failed} failed`);
  process.exitCode = total.failed > 0 ? 1 : 0;
}

async function runGroup(group: Group, broken: ReadonlySet<string>): Promise<Count> {
  if (group.needs && broken.has(group.needs)) {
    console.log(`${group.name}: not run, because ${group.needs} failed`);
    return FAILED;
  }
  try {
    const count = await group.run();
    if (group.setup || count.passed + count.failed > 0) return count;
    console.log(`${group.name}: no test ran`);
  } catch (error) {
    console.log(`${group.name}: ${error instanceof Error ? error.message : String(error)}`);
  }
  return FAILED;
}

/** Browsers, and what a real permission prompt needs. */
async function ensureTools(): Promise<Count> {
  ensureChromium(console.log);
  const missing = () =>
    [
      { name: 'firefox-esr', present: findFirefox() !== undefined },
      { name: 'xvfb', present: onPath('Xvfb') },
      { name: 'xdotool', present: onPath('xdotool') },
    ].flatMap(({ name, present }) => (present ? [] : [name]));
  if (missing().length > 0 && canAptInstall()) aptInstall(missing(), console.log);
  const lacking = missing();
  if (lacking.length > 0)
    throw new Error(`install ${lacking.join(', ')} (Debian: apt-get install ${lacking.join(' ')}).`);
  return { passed: 0, failed: 0 };
}

async function build(): Promise<Count> {
  ensureBuild('chrome');
  ensureBuild('firefox');
  return { passed: 0, failed: 0 };
}

/** A check that passes or fails as a whole. */
async function one(script: string, args: string[]): Promise<Count> {
  const { status, output } = await node(script, args);
  if (status !== 0) console.log(output);
  return status === 0 ? OK : FAILED;
}

interface VitestReport {
  success: boolean;
  numPassedTests: number;
  numFailedTests: number;
  testResults: { status: string; assertionResults: { status: string }[] }[];
}

async function unit(): Promise<Count> {
  const report = resultFile('unit.json');
  const { status, output } = await node('node_modules/vitest/vitest.mjs', [
    ...['run', '-c', 'test/vitest.config.ts'],
    ...['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`],
  ]);
  if (status !== 0) console.log(output);
  const { numPassedTests, numFailedTests, testResults } = readJson<VitestReport>(report, output);
  // A file that does not load has no test that could fail.
  const unloaded = testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  return counted(numPassedTests, numFailedTests + unloaded, status);
}

interface PlaywrightReport {
  stats: { expected: number; unexpected: number; flaky: number };
  errors: { message?: string }[];
}

async function e2e(): Promise<Count> {
  const report = resultFile('e2e.json');
  const { status, output } = await node(
    'node_modules/@playwright/test/cli.js',
    ['test', '-c', 'test/playwright.config.ts', '--reporter=line,json'],
    { PLAYWRIGHT_JSON_OUTPUT_FILE: report },
  );
  if (status !== 0) console.log(output);
  const { stats, errors } = readJson<PlaywrightReport>(report, output);
  return counted(stats.expected, stats.unexpected + stats.flaky + errors.length, status);
}

/** The workflow tests that are named in `cases.list.ts`, through the product's own test runner. */
async function cases(): Promise<Count> {
  if (!existsSync(CASES_LIST)) throw new Error(`${CASES_LIST} is missing`);
  const list = (await import(CASES_LIST)) as { cases: readonly string[] };
  const files = list.cases.map((name) => join(CASES_DIR, name));
  const { status, output, stdout } = await node('src/cli/main.ts', ['test', ...files, '--json']);
  const lines = stdout.trim().split('\n');
  const count = parseCount(lines.pop() ?? '');
  if (!count) throw new Error(`\`tabloom test\` did not end with its count:\n${output}`);
  if (status !== 0) console.log(lines.filter((line) => !line.includes('"passed":true')).join('\n'));
  return counted(count.passed, count.failed, status);
}

function parseCount(line: string): Count | undefined {
  try {
    const count = JSON.parse(line) as Partial<Count>;
    return typeof count.passed === 'number' && typeof count.failed === 'number' ? (count as Count) : undefined;
  } catch {
    return undefined;
  }
}

/** A runner that ends with an error although no test failed has failed too. */
function counted(passed: number, failed: number, status: number): Count {
  return { passed, failed: status !== 0 && failed === 0 ? 1 : failed };
}

function resultFile(name: string): string {
  const file = join(RESULTS, name);
  rmSync(file, { force: true });
  return file;
}

function readJson<T>(file: string, output: string): T {
  if (!existsSync(file)) throw new Error(`the runner left no report:\n${output}`);
  return JSON.parse(readFileSync(file, 'utf8')) as T;
}

interface Ended {
  status: number;
  stdout: string;
  /** Stdout and stderr as they came. */
  output: string;
}

/** Runs a script on our own Node, without a terminal, and collects what it prints. */
function node(script: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const child = spawn(process.execPath, [join(ROOT, script), ...args], {
    cwd: ROOT,
    env: { ...process.env, CI: '1', NO_COLOR: '1', FORCE_COLOR: undefined, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
  });
  let stdout = '';
  let output = '';
  child.stdout.on('data', (data: Buffer) => {
    stdout += data;
    output += data;
  });
  child.stderr.on('data', (data: Buffer) => {
    output += data;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (signal) output += `\n${script} was ended by ${signal}.`;
      resolve({ status: code ?? 1, stdout, output });
    });
  });
}
