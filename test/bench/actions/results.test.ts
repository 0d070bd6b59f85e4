import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
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
