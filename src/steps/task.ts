import type { StepType } from '../engine/step-type.ts';
import { checkSchema } from '../engine/values/schema.ts';
import { durationSchema } from '../model/duration.ts';
import { isObject } from '../model/json.ts';
import { z } from '../model/zod.ts';

/** Work that a person does by hand; what `form` asks for comes back. Output: `{taskId, …form data}`. */
export const task: StepType = {
  type: 'task',
  title: 'Task',
  summary: 'Waits for a person to do something and to fill in a form about it.',
  keys: {
    title: z.string().min(1),
    instructions: z.string().optional(),
    form: z.record(z.string(), z.json()).optional(),
    assignee: z.string().min(1).optional(),
    dueAfter: durationSchema('1s', '365d').optional(),
  },
  effect: () => 'none',
  works: false,
  templated: ['title', 'instructions', 'assignee'],
  wait: 'task',
  check(step, { error }) {
    if (!isObject(step.form)) return [];
    if (step.form.type !== undefined && step.form.type !== 'object')
      return [error('schema_invalid', '/form/type', 'The form of a task is an object.')];
    const bad = checkSchema(step.form);
    return bad ? [error('schema_invalid', '/form', `This JSON Schema cannot be used: ${bad}`)] : [];
  },
};
