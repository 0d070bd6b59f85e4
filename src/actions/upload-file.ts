import { z } from '../model/zod.ts';
import { defineAction } from './define.ts';
import { describeTarget, quote } from './describe.ts';
import { dialogSchema, targetSchema } from './target.ts';

export const uploadFile = defineAction({
  name: 'upload_file',
  effect: 'once',
  summary:
    "Gives files that this run keeps to a file field, to a label or button that opens one, or to a place to drop files on; never a file of the person's own.",
  args: z.strictObject({
    target: targetSchema,
    artifacts: z.array(z.string().min(1)).min(1).max(100),
    dialog: dialogSchema,
  }),
  output: '{files: [{name, size}]}: as the field holds them, or as they were dropped',
  pageSide: true,
  targets: ['target'],
  title: (args) => `Upload ${quote(args.artifacts)} to ${describeTarget(args.target)}`,
});
