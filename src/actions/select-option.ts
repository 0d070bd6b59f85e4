import { z } from '../model/zod.ts';
import { defineAction } from './define.ts';
import { describeTarget, quote } from './describe.ts';
import { dialogSchema, targetSchema } from './target.ts';

export const selectOption = defineAction({
  name: 'select_option',
  effect: 'idempotent',
  summary: 'Chooses an option of a select field by its value or its label, or several of a multiple one.',
  args: z
    .strictObject({
      target: targetSchema,
      value: z.string().optional(),
      label: z.string().optional(),
      values: z.array(z.string()).optional(),
      dialog: dialogSchema,
    })
    .refine(({ value, label, values }) => [value, label, values].filter((way) => way !== undefined).length === 1, {
      path: ['value'],
      message: 'give one of value, label and values',
    }),
  output: '{values}: values of the options that are now chosen',
  pageSide: true,
  targets: ['target'],
  title: (args) => `Choose ${quote(args.label ?? args.value ?? args.values)} in ${describeTarget(args.target)}`,
});
