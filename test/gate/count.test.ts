import { describe, expect, it } from 'vitest';
import { judgeSkipped, playwrightCount, slowest, vitestCount } from './count.ts';

const vitest = (...statuses: string[]) => ({
  numPassedTests: statuses.filter((status) => status === 'passed').length,
  numFailedTests: statuses.filter((status) => status === 'failed').length,
  testResults: [
    { status: 'passed', assertionResults: statuses.map((status, index) => ({ status, fullName: `test ${index}` })) },
  ],
});

describe('the gate counts unit tests', () => {
  it('skipped ones and those still to be written are named', () => {
    const count = vitestCount(vitest('passed', 'skipped', 'todo', 'pending', 'failed'), 1);
    expect(count).toMatchObject({ passed: 1, failed: 1, skipped: ['test 1', 'test 2', 'test 3'] });
    expect(count.reasons).toEqual(['test 4\n  ']);
  });

  it('a file that does not load, or a runner that ends with an error, is a failure', () => {
    const report = vitest('passed');
    report.testResults.push({ status: 'failed', assertionResults: [] });
    expect(vitestCount(report, 1).failed).toBe(1);
    expect(vitestCount(vitest('passed'), 1).failed).toBe(1);
    expect(vitestCount(vitest('passed'), 0).failed).toBe(0);
  });
});

describe('the gate counts tests in browsers', () => {
  const spec = (title: string, status: string) => ({ title, tests: [{ status }] });

  it('skipped ones are named at any depth; a flaky one is a failure', () => {
    const count = playwrightCount(
      {
        stats: { expected: 2, unexpected: 0, flaky: 1 },
        errors: [],
        suites: [
          {
            specs: [spec('a', 'expected'), spec('b', 'skipped')],
            suites: [{ specs: [spec('c', 'skipped'), spec('d', 'flaky')] }],
          },
        ],
      },
      0,
    );
    expect(count).toMatchObject({ passed: 2, failed: 1, skipped: ['b', 'c'] });
  });

  it('what failed is named with what it said, without colours and cut', () => {
    const results = [{ duration: 61_000, errors: [{ message: `\u001b[31mno\u001b[39m\n${'x'.repeat(5000)}` }] }];
    const report = {
      stats: { expected: 1, unexpected: 1, flaky: 0 },
      errors: [],
      suites: [
        { specs: [{ title: 'a', file: 'one.spec.ts', tests: [{ status: 'unexpected', results }] }] },
        { specs: [{ title: 'b', file: 'two.spec.ts', tests: [{ status: 'expected', results: [{ duration: 900 }] }] }] },
      ],
    };
    const { reasons } = playwrightCount(report, 1);
    expect(reasons).toEqual([expect.stringMatching(/^one\.spec\.ts: a\n {2}no\n {2}x+$/)]);
    expect(reasons?.[0]?.length).toBeLessThan(1600);
    expect(slowest(report, 1)).toEqual(['one.spec.ts 61 s']);
  });

  it('a spec file that cannot be loaded is a failure', () => {
    const report = { stats: { expected: 2, unexpected: 0, flaky: 0 }, errors: [{ message: 'no such module' }] };
    expect(playwrightCount(report, 1).failed).toBe(1);
  });
});

describe('a skipped test', () => {
  it('is a failure and named', () => {
    const { count, lines } = judgeSkipped({ passed: 3, failed: 1, skipped: ['a', 'constructor'] }, {});
    expect(count).toMatchObject({ passed: 3, failed: 3 });
    expect(lines).toEqual(['skipped, which counts as failed: a', 'skipped, which counts as failed: constructor']);
  });

  it('that may be skipped is none, and the reason is printed', () => {
    const { count, lines } = judgeSkipped({ passed: 3, failed: 0, skipped: ['a', 'b'] }, { a: 'needs a phone' });
    expect(count).toMatchObject({ passed: 3, failed: 1 });
    expect(lines[0]).toBe('skipped: a (needs a phone)');
  });
});
