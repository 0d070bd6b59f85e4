import { z } from '../model/zod.ts';
import { defineAction } from './define.ts';
import { describeTarget } from './describe.ts';
import { dialogSchema, targetSchema } from './target.ts';

export const drag = defineAction({
  name: 'drag',
  effect: 'once',
  summary: 'Drags one element onto another, with the pointer held down on the way.',
  args: z.strictObject({ from: targetSchema, to: targetSchema, dialog: dialogSchema }),
  output: 'null',
  pageSide: true,
  targets: ['from', 'to'],
  title: (args) => `Drag ${describeTarget(args.from)} to ${describeTarget(args.to)}`,
});
