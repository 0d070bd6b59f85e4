import { evaluateExpression, readExpression } from '../engine/values/expression.ts';
import { MissingValue } from '../engine/values/failures.ts';
import { usesSecret } from '../engine/values/template.ts';
import { z } from '../model/zod.ts';
import { defineOperation, OperationFailure } from './define.ts';
import { anyJson } from './json-schema.ts';

export const transform = defineOperation({
  id: 'transform',
  summary: 'Works out a CEL expression over `value` and the roots that templates see.',
  args: z.strictObject({ value: anyJson, expression: z.string() }),
  output: 'the result of the expression',
  work({ value, expression }, { scope }) {
    const read = readExpression(expression);
    if (usesSecret(read)) throw new OperationFailure('an expression cannot look at a secret');
    try {
      return evaluateExpression(read, {
        root: (name) => (name === 'value' ? value : scope.root(name)),
        member: (name, key) => scope.member(name, key),
      });
    } catch (error) {
      if (error instanceof MissingValue)
        throw new OperationFailure(`${error.path} is not there; allow for it with has(${error.path})`);
      throw error;
    }
  },
});
