import { z } from '../model/zod.ts';
import { defineAction } from './define.ts';
import { describeTarget } from './describe.ts';
import { parseKey } from './keys.ts';
import { dialogSchema, targetSchema } from './target.ts';

export const pressKey = defineAction({
  name: 'press_key',
  effect: 'once',
  summary: 'Presses a key such as Enter, Escape, ArrowDown or Control+A, on a target or where the focus is.',
  args: z.strictObject({
    key: z.string().refine((key) => parseKey(key) !== undefined, {
      message: 'name one key, such as Enter, a, ArrowDown, Control+A or Shift+Tab',
    }),
    target: targetSchema.optional(),
    dialog: dialogSchema,
  }),
  output: 'null',
  pageSide: true,
  targets: ['target'],
  title: (args) =>
    args.target === undefined
      ? `Press ${String(args.key)}`
      : `Press ${String(args.key)} on ${describeTarget(args.target)}`,
});
