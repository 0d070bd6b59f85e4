import type { StepType } from '../engine/step-type.ts';
import type { JsonObject } from '../model/json.ts';
import type { StepDefinition } from '../model/workflow.ts';
import { z } from '../model/zod.ts';
import { stepList } from './nested.ts';
import { ANY, objectOf, TEXT } from './output-schema.ts';

/** Runs named branches side by side and waits for all of them, also when it then fails. */
export const parallel: StepType = {
  type: 'parallel',
  title: 'Parallel',
  summary: 'Runs named branches side by side and waits for all of them.',
  keys: {
    branches: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/, 'a name as steps have'), stepList),
    onBranchError: z.enum(['fail', 'continue']).optional(),
  },
  effect: () => 'none',
  works: false,
  templated: [],
  lists: (step) =>
    Object.entries(step.branches as Record<string, StepDefinition[]>).map(([name, steps]) => ({
      name,
      pointer: `/branches/${name}`,
      kind: 'once' as const,
      steps,
    })),
  output: (step) => {
    const branch = objectOf({ status: TEXT, output: ANY, error: ANY });
    return objectOf(Object.fromEntries(Object.keys(step.branches as JsonObject).map((name) => [name, branch])));
  },
  container: {
    next({ step, has, settled, outcomes, failed }) {
      const names = Object.keys(step.branches as JsonObject);
      // All of them at first; later what a newer revision has more.
      const missing = names.filter((name) => !has(name));
      if (missing.length > 0) return { start: missing.map((name) => ({ name })) };
      if (settled < names.length) return {};
      if (failed?.error && step.onBranchError !== 'continue') return { done: { error: failed.error } };
      const output: JsonObject = {};
      for (const { name, status, output: value, error } of outcomes) {
        output[name] = { status, output: value, error: error ? { code: error.code, message: error.message } : null };
      }
      return { done: { output } };
    },
  },
};
