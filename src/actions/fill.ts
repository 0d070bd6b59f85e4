import { z } from '../model/zod.ts';
import { defineAction } from './define.ts';
import { describeTarget, quote } from './describe.ts';
import { dialogSchema, targetSchema } from './target.ts';

export const fill = defineAction({
  name: 'fill',
  effect: 'idempotent',
  summary: 'Replaces the value of a field or an editable element and checks that it reads back.',
  args: z.strictObject({
    target: targetSchema,
    // A whole template keeps its value's type; a field holds a number's text, and nothing for null.
    value: z.union([z.string(), z.number(), z.null()]),
    dialog: dialogSchema,
  }),
  output: '{value}: as it reads back',
  pageSide: true,
  targets: ['target'],
  title: (args) => `Fill ${describeTarget(args.target)} with ${quote(args.value)}`,
});
