import type { StepType } from '../engine/step-type.ts';
import { z } from '../model/zod.ts';

/** `id`, or `id@` and a revision or its beginning (SPEC §5). */
const REFERENCE = /^[a-z0-9][a-z0-9-]{0,63}(@[0-9a-f]{8,64})?$/;

/** Runs another workflow, as a run of its own. Output: that run's `output`. */
export const subworkflow: StepType = {
  type: 'subworkflow',
  title: 'Subworkflow',
  summary: 'Runs another workflow with an input, and gives back its output.',
  keys: {
    workflow: z.string().regex(REFERENCE, 'the id of a workflow, or id@revision with at least 8 digits of it'),
    input: z.unknown().optional(),
    tab: z.string().optional(),
  },
  effect: () => 'none',
  works: false,
  templated: ['input', 'tab'],
  inputField: 'input',
  child: true,
};
