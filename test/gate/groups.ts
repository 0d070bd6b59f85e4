import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ensureChromium } from '../../src/cli/browser/find.ts';
import { aptInstall, canAptInstall, onPath } from '../../src/cli/browser/install.ts';
import { cases as caseFiles } from '../cases.list.ts';
import { findFirefox } from '../support/firefox.ts';
import {
  type Count,
  counted,
  type PlaywrightReport,
  playwrightCount,
  slowest,
  type VitestReport,
  vitestCount,
} from './count.ts';
import { node, npmRun, readReport, resultFile } from './run.ts';

export interface Group {
  name: string;
  /** Part of `npm run test:fast`: needs no browser. */
  fast: boolean;
  /** What must have worked before; where it did not, the group counts as one failure and is not run. */
  needs?: string;
  /** Name of a group before it that it runs beside: both wait mostly, each for something else. */
  beside?: string;
  /** Prepares only: nothing to count when it works. */
  setup?: boolean;
  /** Scripts of package.json that the group consists of. */
  scripts?: readonly string[];
  run: () => Promise<Count>;
}

const ROOT = resolve(import.meta.dirname, '../..');
/** The format's own suite, kept beside the project; other clones run the shipped workflow tests alone, and the gate says so. */
const SUITE = resolve(ROOT, '../shared/cases');

/** All that must hold, in this order. */
export const groups: readonly Group[] = [
  { name: 'tools', fast: false, setup: true, run: ensureTools },
  ofScripts({ name: 'build', fast: false, setup: true }, ['build', 'build:firefox']),
  ofScripts({ name: 'types', fast: true }, ['check:types']),
  ofScripts({ name: 'lint', fast: true }, ['check:lint']),
  { name: 'unit', fast: true, run: unit },
  { name: 'e2e', fast: false, needs: 'build', run: () => playwright('e2e', 'test/playwright.config.ts') },
  {
    name: 'lifetime',
    fast: false,
    needs: 'build',
    beside: 'e2e',
    run: () => playwright('lifetime', 'test/lifetime/playwright.config.ts'),
  },
  { name: 'cases', fast: true, run: cases },
];

/** A group that runs scripts of package.json, each of which passes or fails as a whole. */
function ofScripts(group: Omit<Group, 'run' | 'scripts'>, scripts: readonly string[]): Group {
  const run = async () => {
    let failed = 0;
    for (const script of scripts) {
      const { status, output } = await npmRun(script);
      if (status === 0) continue;
      failed += 1;
      console.log(output);
    }
    return { passed: group.setup ? 0 : scripts.length - failed, failed };
  };
  return { ...group, scripts, run };
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

async function unit(): Promise<Count> {
  const report = resultFile('unit.json');
  const { status, output } = await node('node_modules/vitest/vitest.mjs', [
    ...['run', '-c', 'test/vitest.config.ts', '--coverage'],
    ...['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`],
  ]);
  if (status !== 0) console.log(output);
  console.log(`unit: ${enginePart(join(ROOT, 'test-results/coverage/coverage-summary.json'))}`);
  return vitestCount(readReport<VitestReport>(report, output), status);
}

/** How much of the engine the unit tests have been to, in words; below the threshold of vitest.config.ts the runner itself fails. */
function enginePart(file: string): string {
  if (!existsSync(file)) return 'how much of the engine was covered was not measured';
  const { total } = JSON.parse(readFileSync(file, 'utf8')) as {
    total: { branches: { pct: number; covered: number; total: number } };
  };
  const { pct, covered, total: all } = total.branches;
  return `${pct} % of the branches of src/engine were taken (${covered} of ${all})`;
}

async function playwright(name: string, config: string): Promise<Count> {
  const report = resultFile(`${name}.json`);
  const { status, output } = await node(
    'node_modules/@playwright/test/cli.js',
    ['test', '-c', config, '--reporter=line,json'],
    { PLAYWRIGHT_JSON_OUTPUT_FILE: report },
  );
  if (status !== 0) console.log(output);
  // Which kills the sample made and where they have landed, and which cells of the matrices it did.
  else
    console.log(
      output
        .split('\n')
        .flatMap((line) => /(?:kills|matrix): .*/.exec(line) ?? [])
        .join('\n'),
    );
  const read = readReport<PlaywrightReport>(report, output);
  console.log(`${name}: longest are ${slowest(read, 12).join(', ')}`);
  return playwrightCount(read, status);
}

/** Workflow tests through the product's own test runner: the shipped ones, our own scenarios, and the suite's that `cases.list.ts` names. */
async function cases(): Promise<Count> {
  const files = ['src/examples', 'test/cases'].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.test.yaml'))
      .map((name) => join(folder, name)),
  );
  if (existsSync(SUITE)) files.push(...caseFiles.map((name) => join(SUITE, name)));
  else
    console.log(`cases: ${caseFiles.length} files of the format's suite are not here, so only the shipped tests run`);
  const { status, output, stdout } = await node('src/cli/main.ts', ['test', ...files, '--json']);
  const lines = stdout.trim().split('\n');
  const count = parseCount(lines.pop() ?? '');
  if (!count) throw new Error(`\`tabloom test\` did not end with its count:\n${output}`);
  if (status !== 0) console.log(lines.filter((line) => !line.includes('"passed":true')).join('\n'));
  return counted(count, status);
}

function parseCount(line: string): Count | undefined {
  try {
    const { passed, failed } = JSON.parse(line) as Partial<Count>;
    return typeof passed === 'number' && typeof failed === 'number' ? { passed, failed } : undefined;
  } catch {
    return undefined;
  }
}
