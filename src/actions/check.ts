import { z } from '../model/zod.ts';
import { defineAction } from './define.ts';
import { describeTarget } from './describe.ts';
import { dialogSchema, targetSchema } from './target.ts';

export const check = defineAction({
  name: 'check',
  effect: 'idempotent',
  summary: 'Checks or unchecks a box, a switch or a radio button; does nothing where it already is so.',
  args: z.strictObject({ target: targetSchema, checked: z.boolean().default(true), dialog: dialogSchema }),
  output: '{checked}',
  pageSide: true,
  targets: ['target'],
  title: (args) => `${args.checked === false ? 'Uncheck' : 'Check'} ${describeTarget(args.target)}`,
});
