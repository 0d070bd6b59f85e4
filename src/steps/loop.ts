import type { StepType } from '../engine/step-type.ts';
import { TabloomError } from '../model/errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { typeName } from '../model/json.ts';
import type { StepDefinition } from '../model/workflow.ts';
import { z } from '../model/zod.ts';
import { stepList } from './nested.ts';
import { LIST, NUMBER, objectOf } from './output-schema.ts';

/** SPEC §5. */
const MAX_ITEMS = 1000;
/** Upper bound of `maxItems`: ten times the longest loop that the engine is measured with. */
const MAX_ITEMS_BOUND = 100_000;

const itemsOf = (fields: JsonObject): Json[] => (Array.isArray(fields.over) ? fields.over : []);
const placesOf = (fields: JsonObject): number => (typeof fields.concurrency === 'number' ? fields.concurrency : 1);

/** Runs its steps once for each item. Output: `{items, count, errors}`, items in order, null where one failed. */
export const loop: StepType = {
  type: 'loop',
  title: 'Loop',
  summary: 'Runs its steps once for each item of a list, one after another or several side by side.',
  keys: {
    over: z.union([z.string(), z.array(z.unknown())]),
    steps: stepList,
    concurrency: z.number().int().min(1).max(10).optional(),
    collect: z.unknown().optional(),
    maxItems: z.number().int().min(1).max(MAX_ITEMS_BOUND).optional(),
    onItemError: z.enum(['fail', 'continue']).optional(),
  },
  effect: () => 'none',
  works: false,
  templated: ['over', 'concurrency'],
  late: ['collect'],
  lists: (step) => [{ name: 'steps', pointer: '/steps', kind: 'items', steps: step.steps as StepDefinition[] }],
  output: () => objectOf({ items: LIST, count: NUMBER, errors: LIST }),
  container: {
    next({ step, fields, opened, settled, outcomes, failed, busy }) {
      const { over } = fields;
      if (!Array.isArray(over)) {
        throw new TabloomError(
          'input_invalid',
          `The loop ${step.id} goes over a list, but \`over\` is ${typeName(over)}.`,
          { step: step.id, field: 'over' },
        );
      }
      const most = (step.maxItems as number | undefined) ?? MAX_ITEMS;
      if (over.length > most) {
        throw new TabloomError(
          'input_invalid',
          `The loop ${step.id} has ${over.length} items, more than its maxItems of ${most}.`,
          { step: step.id, field: 'over' },
        );
      }
      if (failed?.error && step.onItemError !== 'continue') return { done: { error: failed.error } };
      if (settled === over.length) return { done: { output: outputOf(outcomes, over.length) } };
      const free = Math.min(placesOf(fields) - busy, over.length - opened);
      return { start: Array.from({ length: Math.max(0, free) }, (_, n) => ({ name: 'steps', index: opened + n })) };
    },
    item: (fields, index) => itemsOf(fields)[index],
    collect: 'collect',
    places: placesOf,
    tolerates: (step) => step.onItemError === 'continue',
    // With one item at a time, waiting is part of that item's turn.
    yields: (fields) => placesOf(fields) > 1,
  },
};

function outputOf(
  outcomes: readonly ({ status: string; output: Json; error?: { code: string; message: string } } | undefined)[],
  count: number,
): JsonObject {
  const items: Json[] = [];
  const errors: Json[] = [];
  for (let index = 0; index < count; index++) {
    const outcome = outcomes[index];
    items.push(outcome?.status === 'completed' ? outcome.output : null);
    if (outcome?.error) errors.push({ index, code: outcome.error.code, message: outcome.error.message });
  }
  return { items, count, errors };
}
