import { z } from '../model/zod.ts';
import { defineAction } from './define.ts';
import { describeTarget } from './describe.ts';
import { dialogSchema, targetSchema } from './target.ts';

export const hover = defineAction({
  name: 'hover',
  effect: 'idempotent',
  summary: 'Moves the pointer onto an element, as to open a menu that shows while it is pointed at.',
  args: z.strictObject({ target: targetSchema, dialog: dialogSchema }),
  output: 'null',
  pageSide: true,
  targets: ['target'],
  title: (args) => `Point at ${describeTarget(args.target)}`,
});
