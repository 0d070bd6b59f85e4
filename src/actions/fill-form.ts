import { z } from '../model/zod.ts';
import { defineAction } from './define.ts';
import { dialogSchema, targetSchema } from './target.ts';

const field = z.strictObject({
  target: targetSchema,
  // A text field takes a text or a number, a box or a switch a boolean, a select field a value or a label, or several of them.
  value: z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string()).max(1000)]),
});

export const fillForm = defineAction({
  name: 'fill_form',
  effect: 'idempotent',
  summary: 'Sets several fields, each by the kind it is, in order; where one of them is not there, none is changed.',
  args: z.strictObject({ fields: z.array(field).min(1).max(100), dialog: dialogSchema }),
  output: '{values}: one for each field, as it reads back: a text, a boolean, or a list where several can be chosen',
  pageSide: true,
  targets: [],
  title: ({ fields }) => {
    const count = Array.isArray(fields) ? fields.length : 0;
    return count === 1 ? 'Fill in 1 field' : `Fill in ${count} fields`;
  },
});
