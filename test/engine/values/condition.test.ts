import { describe, expect, it } from 'vitest';
import { evaluateCondition } from '../../../src/engine/values/condition.ts';
import { TabloomError } from '../../../src/model/errors.ts';
import type { Json } from '../../../src/model/json.ts';
import { plainScope } from '../../../src/model/roots.ts';
import type { Condition } from '../../../src/model/workflow.ts';

const scope = plainScope({
  step: {
    g: {
      score: 0.9,
      tags: ['urgent', { a: 1 }],
      text: 'a urgent b',
      o: { urgent: 1 },
      nil: null,
      yes: true,
      word: 'yes',
    },
  },
  status: { a: 'completed', b: 'failed', c: 'skipped' },
});

function truth(condition: unknown): boolean | string {
  try {
    return evaluateCondition(condition as Condition, scope, { step: 's', field: 'when' });
  } catch (error) {
    if (TabloomError.is(error)) return error.code;
    throw error;
  }
}

describe('conditions', () => {
  const cases: [unknown, boolean | string][] = [
    ['step.g.score >= 0.8 && status.a == "completed"', true],
    ['step.g.yes', true],
    ['{{step.g.yes}}', true],
    ['step.g.word', 'condition_invalid'],
    ['step.g.nil', 'condition_invalid'],
    ['step.g.gone', 'template_unresolved'],
    ['step.g.gone == 1', 'template_unresolved'],
    ['step.g.score +', 'condition_invalid'],
    ['step.g.score + true', 'condition_invalid'],
    ['secret.x == "a"', 'condition_invalid'],
    ['', 'condition_invalid'],
    [{ op: 'equals', input: '{{step.g.tags}}', expected: ['urgent', { a: 1 }] }, true],
    [{ op: 'equals', input: '{{step.g.score}}', expected: '0.9' }, false],
    [{ op: 'not_equals', input: '{{step.g.word}}', expected: '{{step.g.word}}' }, false],
    [{ op: 'contains', input: '{{step.g.tags}}', expected: 'urgent' }, true],
    [{ op: 'contains', input: '{{step.g.tags}}', expected: { a: 1 } }, true],
    [{ op: 'contains', input: '{{step.g.text}}', expected: 'urgent' }, true],
    [{ op: 'contains', input: '{{step.g.text}}', expected: 1 }, false],
    [{ op: 'contains', input: '{{step.g.o}}', expected: 'urgent' }, true],
    [{ op: 'contains', input: '{{step.g.o}}', expected: 'constructor' }, false],
    [{ op: 'contains', input: '{{step.g.nil}}', expected: 'x' }, 'condition_invalid'],
    [{ op: 'contains', input: '{{step.g.gone}}', expected: 'x' }, 'template_unresolved'],
    [{ op: 'exists', input: '{{step.g.gone}}' }, false],
    [{ op: 'exists', input: '{{step.nobody.x}}' }, false],
    [{ op: 'exists', input: '{{step.g.nil}}' }, true],
    [{ op: 'exists', input: '{{1 / 0}}' }, 'template_unresolved'],
    [{ op: 'exists', input: '{{(}}' }, 'template_invalid'],
    [{ op: 'all_passed', steps: ['a'] }, true],
    [{ op: 'all_passed', steps: ['a', 'c'] }, false],
    [{ op: 'any_failed', steps: ['a', 'b'] }, true],
    [{ op: 'any_failed', steps: ['a', 'c'] }, false],
    [{ op: 'all_passed', steps: ['nobody'] }, 'template_unresolved'],
    [{ op: 'all_passed', steps: 'a' }, 'condition_invalid'],
    [{ op: 'all_passed', steps: ['a'], input: 1 }, 'condition_invalid'],
    [{ op: 'equals', input: 1 }, 'condition_invalid'],
    [{ op: 'equals', expected: 1 }, 'condition_invalid'],
    [{ op: 'matches', input: 1, expected: 1 }, 'condition_invalid'],
    [{}, 'condition_invalid'],
    ['{{step.g.yes}} and more', 'condition_invalid'],
    [{ op: 'all_passed', steps: ['__proto__'] }, 'template_unresolved'],
    [{ op: 'equals', input: 1, expected: 1, than: 2 }, 'condition_invalid'],
    [null, 'condition_invalid'],
    [7 as Json, 'condition_invalid'],
  ];
  for (const [condition, expected] of cases)
    it(`${JSON.stringify(condition)}: ${expected}`, () => expect(truth(condition)).toBe(expected));
});
