import { hashJson } from '../model/canonical.ts';
import { durationMs } from '../model/duration.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { CacheRow } from '../model/run.ts';
import { type Machine, positionOf } from './machine.ts';
import type { PlanStep } from './plan.ts';
import { scopeAt } from './scope.ts';
import type { ListState, StepState } from './state.ts';
import { resolve } from './values/template.ts';

/** Keys of a definition that say when or how often a step runs, not what it gives. */
const NOT_THE_RESULT = [
  ...['id', 'name', 'dependsOn', 'join', 'when', 'timeout', 'retry', 'onError', 'fallback', 'cache', 'compensate'],
  ...['effect', 'onInterrupted', 'verify'],
];

/**
 * Under what an equal result is found again (SPEC §4, `cache`): the workflow, the step's type and all of its own keys, its resolved
 * fields, the library recipe that it names, and the written `key`. `undefined` for a step without a cache.
 * @throws TabloomError `template_unresolved` for a `key` that cannot be resolved
 */
export function cacheKeyOf(m: Machine, list: ListState, plan: PlanStep, fields: JsonObject): string | undefined {
  const { cache } = plan.def;
  if (!cache) return undefined;
  const scope = scopeAt(m.state, positionOf(list));
  const key = cache.key === undefined ? null : (resolve(cache.key, scope, { step: plan.id, field: 'cache' }) as Json);
  const own: JsonObject = {};
  for (const [name, value] of Object.entries(plan.def))
    if (!NOT_THE_RESULT.includes(name) && !plan.type.templated.includes(name)) own[name] = value as Json;
  const { workflow } = m.plan;
  const recipes = workflow.recipes ?? {};
  const recipe = typeof own.recipe === 'string' && Object.hasOwn(recipes, own.recipe) ? recipes[own.recipe] : null;
  // A document that has changed gives another answer.
  const documents = plan.type.keys.context
    ? m.state.documents.map(({ documentId, revision }) => [documentId, revision])
    : [];
  return hashJson({
    ...(documents.length > 0 && { documents }),
    workflow: workflow.id,
    own,
    fields,
    recipe: (recipe ?? null) as unknown as Json,
    key,
  });
}

/** Keeps what a step gave for the next time. Written in the same commit as the step. */
export function keepResult(m: Machine, step: StepState): void {
  const { cache } = step.plan.def;
  if (!cache || step.cacheKey === undefined) return;
  const usage = step.row.attempts.at(-1)?.usage;
  const row: CacheRow = {
    key: step.cacheKey,
    workflowId: m.state.run.workflowId,
    output: step.row.output ?? null,
    ...(usage && { usage }),
    at: m.at,
    until: m.at + durationMs(cache.ttl),
  };
  m.cache.push(row);
}
