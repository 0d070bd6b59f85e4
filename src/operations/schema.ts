import { checkSchema, validateSchema } from '../engine/values/schema.ts';
import { z } from '../model/zod.ts';
import { defineOperation, OperationFailure } from './define.ts';
import { anyJson, jsonObject } from './json-schema.ts';

export const schemaValidate = defineOperation({
  id: 'schema.validate',
  summary: 'Checks a value against a JSON Schema (draft 2020-12).',
  args: z.strictObject({ value: anyJson, schema: jsonObject }),
  output: '{valid, errors: [{path, message}]}',
  work({ value, schema }) {
    const problem = checkSchema(schema);
    if (problem) throw new OperationFailure(problem);
    const { valid, errors } = validateSchema(schema, value);
    return { valid, errors: errors.map(({ path, message }) => ({ path, message })) };
  },
});
