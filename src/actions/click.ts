import { z } from '../model/zod.ts';
import { defineAction } from './define.ts';
import { describeTarget } from './describe.ts';
import { dialogSchema, targetSchema } from './target.ts';

export const click = defineAction({
  name: 'click',
  effect: 'once',
  summary: 'Clicks an element as a person would: pointer, mouse, focus and click events, once.',
  args: z.strictObject({
    target: targetSchema,
    button: z.enum(['left', 'middle', 'right']).default('left'),
    count: z.number().int().min(1).max(3).default(1),
    modifiers: z.array(z.enum(['Alt', 'Control', 'Meta', 'Shift'])).default([]),
    dialog: dialogSchema,
  }),
  output: '{matched, url, openedTab, dialogs}',
  pageSide: true,
  targets: ['target'],
  title: (args) => {
    const verb = args.count === 2 ? 'Double-click' : args.button === 'right' ? 'Right-click' : 'Click';
    return `${verb} ${describeTarget(args.target)}`;
  },
});
