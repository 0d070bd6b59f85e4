import { z } from '../../model/zod.ts';

const ids = z.array(z.string()).min(1);

/** A condition as files write it (SPEC §2). What it says is checked with the templates, not here. */
export const conditionSchema = z.union([
  z.string().min(1),
  z.strictObject({
    op: z.enum(['equals', 'not_equals', 'contains', 'exists']),
    input: z.unknown(),
    expected: z.unknown().optional(),
  }),
  z.strictObject({ op: z.enum(['all_passed', 'any_failed']), steps: ids }),
]);
