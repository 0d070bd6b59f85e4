/** What a group of the gate came to. */
export interface Count {
  passed: number;
  failed: number;
  /** Titles of tests that did not run although they are there. */
  skipped?: readonly string[];
  /** Titles of tests that failed, each with what it said, cut. */
  reasons?: readonly string[];
}

/** A runner that ends with an error although no test failed has failed too. */
export function counted({ passed, failed, skipped = [], reasons = [] }: Count, status: number): Count {
  return { passed, failed: status !== 0 && failed === 0 ? 1 : failed, skipped, reasons };
}

/** What is read of Vitest's JSON report. */
export interface VitestReport {
  numPassedTests: number;
  numFailedTests: number;
  testResults: {
    status: string;
    assertionResults: { status: string; fullName: string; failureMessages?: string[] }[];
  }[];
}

/** @param status the runner's exit status */
export function vitestCount({ numPassedTests, numFailedTests, testResults }: VitestReport, status: number): Count {
  // A file that does not load has no test that could fail.
  const unloaded = testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const skipped = testResults
    .flatMap((file) => file.assertionResults)
    .filter((test) => test.status !== 'passed' && test.status !== 'failed')
    .map((test) => test.fullName);
  const reasons = testResults
    .flatMap((file) => file.assertionResults)
    .filter((test) => test.status === 'failed')
    .map((test) => reason(test.fullName, test.failureMessages ?? []));
  return counted({ passed: numPassedTests, failed: numFailedTests + unloaded, skipped, reasons }, status);
}

interface PlaywrightSpec {
  title: string;
  file?: string;
  tests: { status: string; results?: { duration: number; errors?: { message?: string }[] }[] }[];
}

interface PlaywrightSuite {
  specs?: PlaywrightSpec[];
  suites?: PlaywrightSuite[];
}

/** What is read of Playwright's JSON report. */
export interface PlaywrightReport extends PlaywrightSuite {
  stats: { expected: number; unexpected: number; flaky: number };
  errors: unknown[];
}

/** A test that passes only when tried again counts as failed. @param status the runner's exit status */
export function playwrightCount(report: PlaywrightReport, status: number): Count {
  const { expected, unexpected, flaky } = report.stats;
  const specs = specsIn(report);
  const skipped = specs
    .filter(({ tests }) => tests.some((test) => test.status === 'skipped'))
    .map(({ title }) => title);
  const reasons = specs
    .filter(({ tests }) => tests.some(({ status }) => status === 'unexpected' || status === 'flaky'))
    .map(({ title, file, tests }) => reason(file ? `${file}: ${title}` : title, messagesOf(tests)));
  return counted({ passed: expected, failed: unexpected + flaky + report.errors.length, skipped, reasons }, status);
}

/** Files of tests, the longest first, with the seconds that their tests took together. */
export function slowest(report: PlaywrightReport, most: number): string[] {
  const seconds = new Map<string, number>();
  for (const { file = '', tests } of specsIn(report)) {
    const ms = tests.flatMap(({ results = [] }) => results).reduce((sum, { duration }) => sum + duration, 0);
    seconds.set(file, (seconds.get(file) ?? 0) + ms / 1000);
  }
  const sorted = [...seconds].sort(([, a], [, b]) => b - a);
  return sorted.slice(0, most).map(([file, took]) => `${file} ${took.toFixed(0)} s`);
}

function specsIn({ specs = [], suites = [] }: PlaywrightSuite): PlaywrightSpec[] {
  return [...specs, ...suites.flatMap(specsIn)];
}

function messagesOf(tests: PlaywrightSpec['tests']): string[] {
  return tests
    .flatMap(({ results = [] }) => results)
    .flatMap(({ errors = [] }) => errors.map(({ message }) => message ?? ''));
}

/** Characters of what a failed test said: the end of a log is what is kept of it in most places. */
const REASON = 1500;

function reason(title: string, messages: readonly string[]): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal
  const text = messages.join('\n').replace(/\u001b\[[0-9;]*m/g, '');
  return `${title}\n${text.slice(0, REASON).replace(/^/gm, '  ')}`;
}

/**
 * A test that is skipped proves nothing, so it counts as a failure, unless it is one of those that may be skipped.
 * @param may the title of each such test, and why
 * @returns the count, and a line for each skipped test
 */
export function judgeSkipped(
  { passed, failed, skipped = [], reasons = [] }: Count,
  may: Readonly<Record<string, string>>,
): { count: Count; lines: string[] } {
  const refused = skipped.filter((title) => !Object.hasOwn(may, title));
  return {
    count: { passed, failed: failed + refused.length, reasons },
    lines: skipped.map((title) =>
      Object.hasOwn(may, title) ? `skipped: ${title} (${may[title]})` : `skipped, which counts as failed: ${title}`,
    ),
  };
}
