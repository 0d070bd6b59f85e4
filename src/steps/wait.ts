import type { StepType } from '../engine/step-type.ts';
import { z } from '../model/zod.ts';

const KINDS = ['for', 'until', 'signal', 'page'] as const;

/** Waits for a time or a signal; a manual *wake* ends it too. Output: `{wokenBy, payload}`. */
export const wait: StepType = {
  type: 'wait',
  title: 'Wait',
  summary: 'Waits for a length of time, until a moment, or for a signal.',
  keys: {
    for: z.union([z.string(), z.number()]).optional(),
    until: z.union([z.string(), z.number()]).optional(),
    signal: z.string().min(1).optional(),
    page: z.record(z.string(), z.unknown()).optional(),
    timeout: z.union([z.string(), z.number()]).optional(),
  },
  effect: () => 'none',
  works: false,
  templated: ['for', 'until', 'signal', 'timeout'],
  wait: 'wait',
  check(step, { error }) {
    const named = KINDS.filter((kind) => step[kind] !== undefined);
    if (named.length !== 1) return [error('schema_invalid', '', 'A wait needs exactly one of for, until or signal.')];
    if (named[0] === 'page')
      return [
        error('schema_invalid', '/page', 'Waiting for a page is not there yet; use a browser_action with wait_for.'),
      ];
    return [];
  },
};
