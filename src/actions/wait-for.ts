import { durationSchema } from '../model/duration.ts';
import { z } from '../model/zod.ts';
import { defineAction } from './define.ts';
import { describeTarget, quote } from './describe.ts';
import { targetSchema } from './target.ts';

export const waitFor = defineAction({
  name: 'wait_for',
  effect: 'read',
  summary: 'Waits until an element has a state, a text shows, or the address fits. All that is named must hold.',
  args: z
    .strictObject({
      target: targetSchema.optional(),
      state: z.enum(['visible', 'hidden', 'attached', 'detached', 'enabled']).default('visible'),
      text: z.string().min(1).optional(),
      // With `*` a pattern for the whole address, else a part of it.
      url: z.string().min(1).optional(),
      timeout: durationSchema('1ms', '24h').optional(),
    })
    .refine((args) => args.target !== undefined || args.text !== undefined || args.url !== undefined, {
      path: ['target'],
      message: 'name a target, a text or a url to wait for',
    }),
  output: '{waitedMs}',
  pageSide: true,
  targets: ['target'],
  title: (args) => {
    if (args.target !== undefined)
      return `Wait until ${describeTarget(args.target)} is ${String(args.state ?? 'visible')}`;
    if (args.text !== undefined) return `Wait for the text ${quote(args.text)}`;
    return `Wait for the address ${String(args.url)}`;
  },
});
