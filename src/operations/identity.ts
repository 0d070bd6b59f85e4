import { z } from '../model/zod.ts';
import { defineOperation } from './define.ts';
import { anyJson } from './json-schema.ts';

export const identity = defineOperation({
  id: 'identity',
  summary: 'Gives back the value it was given.',
  args: z.strictObject({ value: anyJson }),
  output: 'the value',
  work: ({ value }) => value,
});
