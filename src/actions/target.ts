import { z } from '../model/zod.ts';
import type { Target, TargetDefinition } from './describe.ts';

const WAYS = ['ref', 'role', 'label', 'text', 'placeholder', 'testId', 'css', 'xpath'] as const;
const text = z.string().min(1);

const single: z.ZodType<TargetDefinition> = z.lazy(() =>
  z
    .strictObject({
      ref: text.optional(),
      role: text.optional(),
      name: text.optional(),
      label: text.optional(),
      text: text.optional(),
      placeholder: text.optional(),
      testId: text.optional(),
      css: text.optional(),
      xpath: text.optional(),
      exact: z.boolean().optional(),
      nth: z.number().int().optional(),
      within: single.optional(),
      frame: single.optional(),
    })
    .refine(
      (target) => WAYS.filter((way) => target[way] !== undefined).length === 1,
      'a target names its element in exactly one way: ref, role (with name), label, text, placeholder, testId, css or xpath',
    )
    .refine((target) => target.name === undefined || target.role !== undefined, 'name goes with role'),
);

/** Schema of a target: one, or a list of alternatives. */
export const targetSchema: z.ZodType<Target> = z.union([single, z.array(single).min(1)]);

/** The answer to a dialog that the act raises; any write action may carry one. */
export const dialogSchema = z.strictObject({ accept: z.boolean(), text: z.string().optional() }).optional();
