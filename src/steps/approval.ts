import type { StepType } from '../engine/step-type.ts';
import { durationSchema } from '../model/duration.ts';
import { z } from '../model/zod.ts';
import { ANY, objectOf, TEXT } from './output-schema.ts';

/**
 * Stops for a person's yes or no, bound to exactly what is shown. How it is asked, hashed and decided is the engine's heart:
 * src/engine/approvals. Output: `{decision, by, at, comment, value}`.
 */
export const approval: StepType = {
  type: 'approval',
  title: 'Approval',
  summary: 'Waits for a person to approve or reject exactly what is shown and covered.',
  keys: {
    title: z.string().min(1),
    message: z.string().optional(),
    show: z.unknown().optional(),
    covers: z.array(z.string()).optional(),
    risk: z.enum(['reversible', 'irreversible', 'money', 'message']).optional(),
    editable: z.record(z.string(), z.unknown()).optional(),
    requiredRole: z.string().min(1).optional(),
    expiresAfter: durationSchema('1s', '7d').optional(),
    onReject: z.enum(['fail', 'continue']).optional(),
  },
  effect: () => 'none',
  works: false,
  templated: ['title', 'message', 'show'],
  output: () => objectOf({ decision: TEXT, by: TEXT, at: TEXT, comment: TEXT, value: ANY }),
  wait: 'approval',
  check(step, { error }) {
    const show = step.show;
    const text = typeof show === 'string' && !/^\{\{[\s\S]*\}\}$/.test(show);
    if (step.editable === undefined || (show !== undefined && !text && !Array.isArray(show))) return [];
    return [
      error(
        'schema_invalid',
        '/show',
        'With `editable`, `show` must be an object: its fields are what a person can edit.',
      ),
    ];
  },
};
