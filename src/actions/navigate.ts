import { z } from '../model/zod.ts';
import { defineAction } from './define.ts';
import { dialogSchema, targetSchema } from './target.ts';

export const navigate = defineAction({
  name: 'navigate',
  effect: 'idempotent',
  summary: "Opens an address in the run's tab and waits until the page is loaded, or until an element is visible.",
  args: z.strictObject({
    url: z.string().min(1),
    waitFor: z.union([z.enum(['load', 'domcontentloaded', 'none']), targetSchema]).default('load'),
    dialog: dialogSchema,
  }),
  output: '{url, title}',
  pageSide: false,
  targets: ['waitFor'],
  title: (args) => `Open ${String(args.url)}`,
});
