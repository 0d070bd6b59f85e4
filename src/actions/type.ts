import { z } from '../model/zod.ts';
import { defineAction } from './define.ts';
import { describeTarget, quote } from './describe.ts';
import { dialogSchema, targetSchema } from './target.ts';

export const type = defineAction({
  name: 'type',
  effect: 'once',
  summary: 'Types a text key by key at the end of what a field holds, or at the caret in it. To replace it, use fill.',
  args: z.strictObject({ target: targetSchema, text: z.string(), dialog: dialogSchema }),
  output: '{value}: what the field holds then; null for what is no field, and where the page went away',
  pageSide: true,
  targets: ['target'],
  title: (args) => `Type ${quote(args.text)} into ${describeTarget(args.target)}`,
});
