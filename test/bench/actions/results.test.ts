import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reportPage, summaryOf, withSummary } from './report.ts';
import { note, percent, type Results, total } from './results.ts';
import { LEFT_OUT, TASKS } from './tasks/index.ts';
import { ticTacToeMove } from './tasks/sites.ts';

it('counts the share of what Playwright passes', () => {
  const results: Results = {};
  for (const [cell, playwright, tabloom] of [
    ['1', true, true],
    ['2', true, false],
    ['3', false, true],
    ['4', true, true],
  ] as const) {
    note(results, 'TodoMVC', 'react', cell, 'playwright', { passed: playwright });
    note(results, 'TodoMVC', 'react', cell, 'tabloom', { passed: tabloom });
  }
  expect(total(results.TodoMVC ?? {})).toEqual({
    tasks: 1,
    cells: 4,
    passed: { playwright: 3, tabloom: 3 },
    both: 2,
    share: 2 / 3,
  });
  expect(percent(total({}).share)).toBe('–');
});

it('reports what was run from which checkouts, what Playwright misses, and what is left out', () => {
  const results: Results = { checkouts: { TodoMVC: 'abc' } };
  for (const [cell, playwright, tabloom] of [
    ['add', true, true],
    ['edit', true, false],
    ['clear', false, true],
    ['filter', false, false],
  ] as const) {
    note(results, 'TodoMVC', 'react', cell, 'playwright', { passed: playwright, ...(!playwright && { note: 'slow' }) });
    note(results, 'TodoMVC', 'react', cell, 'tabloom', { passed: tabloom, ...(!tabloom && { note: 'covered' }) });
  }
  const page = reportPage(
    results,
    { 'MiniWoB++': 9, TodoMVC: 3 },
    { 'MiniWoB++': { hover: 'no end' }, TodoMVC: { ember: 'sources only' } },
    '1.2',
  );
  for (const line of [
    '| TodoMVC | 1 applications | 4 checks | 2 | 2 | 1 | 50.0 % | ≥ 98.0 % | no |',
    '- TodoMVC: tastejs/todomvc, commit abc; run were 1 of 3 applications: 1 with 4 checks.',
    '- TodoMVC react edit: covered',
    '- react: clear, filter (Tabloom passes 1 of 2): slow',
    '- ember: sources only',
  ])
    expect(page).toContain(`${line}\n`);
  expect(page).not.toContain('hover');
});

it('keeps its totals in the page of all benchmarks', () => {
  const first = withSummary('# All\n\n## One\n\ntext\n', '| a |\n| --- |\n| 1 |');
  expect(first).toMatch(/^# All\n\n## One\n\ntext\n\n## Page actions/);
  expect(summaryOf(first)).toBe('| a |\n| --- |\n| 1 |');
  const again = withSummary(first, '| a |\n| --- |\n| 2 |');
  expect(again).toBe(first.replace('| 1 |', '| 2 |'));
  expect(summaryOf('# All\n')).toBeUndefined();
});

it('has a solver for at least 100 tasks, and none for one that is left out', () => {
  expect(Object.keys(TASKS).length).toBeGreaterThanOrEqual(100);
  expect(Object.keys(TASKS).filter((name) => name in LEFT_OUT)).toEqual([]);
});

it('wins, blocks, and makes threats', () => {
  expect(ticTacToeMove('xx oo    ')).toBe(2);
  expect(ticTacToeMove('x  oo    ')).toBe(5);
  expect(ticTacToeMove('         ')).toBe(4);
});

describe('the command', () => {
  const refusal = (...args: string[]): string => {
    try {
      execFileSync(process.execPath, [resolve(import.meta.dirname, 'main.ts'), ...args], { stdio: 'pipe' });
    } catch (error) {
      return String((error as { stderr: Buffer }).stderr).trim();
    }
    throw new Error('it did not refuse');
  };

  it('refuses to run without checkouts, and says what to do', () => {
    expect(refusal()).toBe(
      'Name a checkout: --miniwob DIR (of Farama-Foundation/miniwob-plusplus), --todomvc DIR (of tastejs/todomvc), or both.',
    );
    expect(refusal('--miniwob', '/nowhere')).toBe(
      'Check --miniwob: /nowhere holds no miniwob/html/core/core.js, so it is no checkout of Farama-Foundation/miniwob-plusplus.',
    );
    expect(refusal('--todomvc', '/nowhere')).toBe(
      'Check --todomvc: /nowhere holds no examples/jquery, so it is no checkout of tastejs/todomvc.',
    );
  });
});
