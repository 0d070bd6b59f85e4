import { REVISE } from '../engine/plan.ts';
import type { StepType } from '../engine/step-type.ts';
import { durationSchema } from '../model/duration.ts';
import { z } from '../model/zod.ts';
import { stepList } from './nested.ts';
import { ANY, NUMBER, objectOf, TEXT } from './output-schema.ts';

/**
 * Lets a person read something before it is used: accept it, edit it, send it back to be changed by the steps of `revise`, or reject it.
 * The rounds are the engine's: src/engine/people/review.ts. Output: `{decision, content, comment, rounds}`.
 */
export const review: StepType = {
  type: 'review',
  title: 'Review',
  summary: 'Waits for a person to accept, edit, send back or reject what a step has made.',
  keys: {
    title: z.string().min(1),
    content: z.unknown(),
    revise: stepList.optional(),
    maxRounds: z.int().min(1).max(20).optional(),
    requiredRole: z.string().min(1).optional(),
    expiresAfter: durationSchema('1s', '7d').optional(),
  },
  effect: () => 'none',
  works: false,
  templated: ['title', 'content'],
  output: () => objectOf({ decision: TEXT, content: ANY, comment: TEXT, rounds: NUMBER }),
  wait: 'review',
  lists: (step) =>
    Array.isArray(step.revise)
      ? [{ name: REVISE, pointer: '/revise', steps: step.revise, kind: 'items', role: 'revise' }]
      : [],
  check: (step, { error }) =>
    step.content === undefined
      ? [error('schema_invalid', '/content', 'Say what is to be read: give the review a `content`.')]
      : [],
};
