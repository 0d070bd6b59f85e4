import { z } from '../model/zod.ts';
import { defineAction } from './define.ts';
import { describeTarget } from './describe.ts';
import { targetSchema } from './target.ts';

export const screenshot = defineAction({
  name: 'screenshot',
  effect: 'read',
  summary: 'Takes a picture of what the window shows, of one element, or of the whole page, and keeps it as a file.',
  args: z
    .strictObject({ target: targetSchema.optional(), fullPage: z.boolean().default(false) })
    .refine((args) => args.target === undefined || !args.fullPage, {
      path: ['fullPage'],
      message: 'give a target or fullPage, not both',
    }),
  output: '{artifactId, name, mediaType, size, sha256}; {note} where a part was cut off',
  pageSide: true,
  targets: ['target'],
  title: (args) => {
    if (args.target !== undefined) return `Take a picture of ${describeTarget(args.target)}`;
    return args.fullPage === true ? 'Take a picture of the whole page' : 'Take a picture of the page';
  },
});
