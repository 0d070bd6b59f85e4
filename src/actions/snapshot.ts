import { z } from '../model/zod.ts';
import { defineAction } from './define.ts';
import { describeTarget } from './describe.ts';
import { targetSchema } from './target.ts';

export const snapshot = defineAction({
  name: 'snapshot',
  effect: 'read',
  summary: 'Reads the page as an indented tree of roles, names, states and refs, for models and people.',
  args: z.strictObject({
    target: targetSchema.optional(),
    find: z.string().min(1).optional(),
    cursor: z.string().min(1).optional(),
    // The id that a snapshot gives of itself: only what has changed since is told.
    since: z.string().min(1).optional(),
    maxChars: z.number().int().min(500).max(200_000).default(15_000),
  }),
  output: '{url, title, text, cursor}: cursor is null when nothing is left out',
  pageSide: true,
  targets: ['target'],
  title: (args) => (args.target === undefined ? 'Read the page' : `Read ${describeTarget(args.target)}`),
});
