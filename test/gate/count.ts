/** What a group of the gate came to. */
export interface Count {
  passed: number;
  failed: number;
  /** Titles of tests that did not run although they are there. */
  skipped?: readonly string[];
}

/** A runner that ends with an error although no test failed has failed too. */
export function counted({ passed, failed, skipped = [] }: Count, status: number): Count {
  return { passed, failed: status !== 0 && failed === 0 ? 1 : failed, skipped };
}

/** What is read of Vitest's JSON report. */
export interface VitestReport {
  numPassedTests: number;
  numFailedTests: number;
  testResults: { status: string; assertionResults: { status: string; fullName: string }[] }[];
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
  return counted({ passed: numPassedTests, failed: numFailedTests + unloaded, skipped }, status);
}

interface PlaywrightSuite {
  specs?: { title: string; tests: { status: string }[] }[];
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
  return counted(
    { passed: expected, failed: unexpected + flaky + report.errors.length, skipped: skippedIn(report) },
    status,
  );
}

function skippedIn({ specs = [], suites = [] }: PlaywrightSuite): string[] {
  const own = specs.filter(({ tests }) => tests.some((test) => test.status === 'skipped')).map(({ title }) => title);
  return [...own, ...suites.flatMap(skippedIn)];
}

/**
 * A test that is skipped proves nothing, so it counts as a failure, unless it is one of those that may be skipped.
 * @param may the title of each such test, and why
 * @returns the count, and a line for each skipped test
 */
export function judgeSkipped(
  { passed, failed, skipped = [] }: Count,
  may: Readonly<Record<string, string>>,
): { count: Count; lines: string[] } {
  const refused = skipped.filter((title) => !Object.hasOwn(may, title));
  return {
    count: { passed, failed: failed + refused.length },
    lines: skipped.map((title) =>
      Object.hasOwn(may, title) ? `skipped: ${title} (${may[title]})` : `skipped, which counts as failed: ${title}`,
    ),
  };
}
