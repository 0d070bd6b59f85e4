import { z } from '../model/zod.ts';
import { defineAction } from './define.ts';
import { describeTarget } from './describe.ts';
import { dialogSchema, targetSchema } from './target.ts';

export const download = defineAction({
  name: 'download',
  effect: 'once',
  summary:
    'Fetches a file from an address, or what a link or button of the page gives, and keeps it as a file of the run.',
  args: z
    .strictObject({
      target: targetSchema.optional(),
      url: z.string().min(1).optional(),
      name: z.string().min(1).optional(),
      dialog: dialogSchema,
    })
    .refine((args) => (args.target === undefined) !== (args.url === undefined), {
      path: ['url'],
      message: 'give one of target and url',
    }),
  output: '{artifactId, name, mediaType, size, sha256}',
  pageSide: false,
  targets: ['target'],
  title: (args) => `Download ${args.url === undefined ? describeTarget(args.target) : String(args.url)}`,
});
