import { z } from '../model/zod.ts';
import { defineAction } from './define.ts';
import { describeTarget } from './describe.ts';
import { dialogSchema, targetSchema } from './target.ts';

export const scroll = defineAction({
  name: 'scroll',
  effect: 'idempotent',
  summary:
    'Scrolls the page, or what the target sits in: by pixels, to an end, or step by step until an element is in view.',
  args: z
    .strictObject({
      target: targetSchema.optional(),
      by: z.strictObject({ x: z.number().default(0), y: z.number().default(0) }).optional(),
      to: z.enum(['top', 'bottom']).optional(),
      until: targetSchema.optional(),
      dialog: dialogSchema,
    })
    .refine(({ by, to, until }) => [by, to, until].filter((way) => way !== undefined).length === 1, {
      path: ['by'],
      message: 'give one of by, to and until',
    }),
  output: 'null',
  pageSide: true,
  targets: ['target', 'until'],
  title: (args) => {
    const what = describeTarget(args.target);
    if (args.until !== undefined) return `Scroll ${what} to ${describeTarget(args.until)}`;
    return args.to === undefined ? `Scroll ${what}` : `Scroll ${what} to its ${String(args.to)}`;
  },
});
