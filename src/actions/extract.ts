import { z } from '../model/zod.ts';
import { defineAction } from './define.ts';
import { describeTarget } from './describe.ts';
import { targetSchema } from './target.ts';

const field = z.strictObject({
  target: targetSchema.optional(),
  as: z.enum(['text', 'html', 'attribute', 'link']).optional(),
  attribute: z.string().min(1).optional(),
  type: z.enum(['text', 'number', 'date']).optional(),
});

export const extract = defineAction({
  name: 'extract',
  effect: 'read',
  summary:
    'Takes text, HTML, an attribute, a link, a table or a list of items from the page, over several pages if asked.',
  args: z
    .strictObject({
      target: targetSchema.optional(),
      as: z.enum(['text', 'html', 'attribute', 'link', 'table', 'items']).default('text'),
      attribute: z.string().min(1).optional(),
      fields: z.record(z.string(), field).optional(),
      next: targetSchema.optional(),
      maxPages: z.number().int().min(1).max(1000).optional(),
    })
    .refine((args) => args.as !== 'attribute' || args.attribute !== undefined, {
      path: ['attribute'],
      message: 'name the attribute',
    })
    .refine((args) => args.as !== 'items' || (args.fields !== undefined && args.target !== undefined), {
      path: ['fields'],
      message: 'items need a target, which each item matches, and fields',
    })
    .refine((args) => args.next === undefined || args.as === 'table' || args.as === 'items', {
      path: ['next'],
      message: 'next goes with tables and items only',
    }),
  output: '{text} · {html} · {value} · {text, href} · {columns, rows: [{column: value}], pages} · {items, pages}',
  pageSide: true,
  targets: ['target', 'next'],
  title: (args) => `Read ${String(args.as ?? 'text')} of ${describeTarget(args.target)}`,
});
