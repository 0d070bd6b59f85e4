import { conditionSchema } from '../engine/preflight/condition-schema.ts';
import type { StepType } from '../engine/step-type.ts';
import type { StepDefinition } from '../model/workflow.ts';
import { stepList } from './nested.ts';
import { ANY, objectOf, TEXT } from './output-schema.ts';

/** Takes one of two branches. Output: `{branch, output}`, the output being that of the branch's last step that completed. */
export const condition: StepType = {
  type: 'condition',
  title: 'Condition',
  summary: 'Takes the `then` branch when `if` holds, else the `else` branch.',
  keys: { if: conditionSchema, then: stepList, else: stepList.optional() },
  effect: () => 'none',
  works: false,
  templated: [],
  conditions: ['if'],
  lists: (step) =>
    (['then', 'else'] as const)
      .filter((name) => step[name] !== undefined)
      .map((name) => ({ name, pointer: `/${name}`, kind: 'once' as const, steps: step[name] as StepDefinition[] })),
  output: () => objectOf({ branch: TEXT, output: ANY }),
  container: {
    exclusive: true,
    next({ step, opened, settled, outcomes, failed, condition }) {
      if (opened === 0) {
        const branch = condition('if') ? 'then' : 'else';
        const other = branch === 'then' ? 'else' : 'then';
        const skip = step[other] === undefined ? [] : [other];
        if (step[branch] === undefined) return { skip, done: { output: { branch, output: null } } };
        return { skip, start: [{ name: branch }] };
      }
      if (failed?.error) return { done: { error: failed.error } };
      const taken = outcomes[0];
      if (settled < opened || !taken) return {};
      return { done: { output: { branch: taken.name, output: taken.output } } };
    },
  },
};
