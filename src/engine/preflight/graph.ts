import type { Problem, StepDefinition } from '../../model/workflow.ts';
import { edgesOf, listsOf } from '../plan.ts';
import type { StepRegistry, StepType } from '../step-type.ts';
import { error } from './problem.ts';

/** Ids, edges and cycles of every list (SPEC §3). Expects a file whose shape is right, with types that are known. */
export function checkGraph(steps: StepDefinition[], registry: StepRegistry): Problem[] {
  const problems: Problem[] = [];
  const seen = new Map<string, string>();
  checkList(steps, '/steps', registry, seen, problems);
  return problems;
}

function checkList(
  steps: StepDefinition[],
  base: string,
  registry: StepRegistry,
  seen: Map<string, string>,
  problems: Problem[],
): void {
  const here = new Set(steps.map((step) => step.id));
  steps.forEach((step, index) => {
    const pointer = `${base}/${index}`;
    const first = seen.get(step.id);
    if (step.id === '__proto__')
      problems.push(error('schema_invalid', `${pointer}/id`, 'A step cannot be called __proto__.', step.id));
    if (first !== undefined)
      problems.push(
        error(
          'duplicate_id',
          `${pointer}/id`,
          `The id ${step.id} is taken by another step (${first}); ids are unique in the file.`,
          step.id,
        ),
      );
    else seen.set(step.id, pointer);
    const named = new Set<string>();
    (step.dependsOn ?? []).forEach((entry, at) => {
      const from = typeof entry === 'string' ? entry : entry.step;
      const where = `${pointer}/dependsOn/${at}`;
      if (named.has(from))
        problems.push(error('duplicate_edge', where, `${step.id} depends on ${from} twice.`, step.id));
      else if (!here.has(from))
        problems.push(
          error('unknown_step', where, `${step.id} depends on ${from}, which is no step of the same list.`, step.id),
        );
      named.add(from);
      const type = registry.get(step.type);
      if (typeof entry !== 'string' && (entry.output !== undefined || entry.input !== undefined) && !type?.inputField) {
        problems.push(
          error(
            'schema_invalid',
            where,
            `A ${step.type} step takes no input, so an edge cannot carry any into it.`,
            step.id,
          ),
        );
      }
    });
  });
  const ring = cycleIn(steps);
  if (ring) {
    const index = steps.findIndex((step) => step.id === ring[0]);
    problems.push(
      error(
        'cycle',
        `${base}/${index}/dependsOn`,
        `Take one of these dependencies out, the steps wait for each other: ${[...ring, ring[0]].join(' → ')}.`,
        ring[0],
      ),
    );
  }
  steps.forEach((step, index) => {
    for (const list of listsOf(step, registry.get(step.type) as StepType))
      checkList(list.steps, `${base}/${index}${list.pointer}`, registry, seen, problems);
  });
}

/** Ids of one ring of steps that depend on each other, if there is any. Without recursion: a list may be longer than the stack is deep. */
function cycleIn(steps: StepDefinition[]): string[] | undefined {
  const ids = new Set(steps.map((step) => step.id));
  // Of two steps with one id nobody knows which is meant.
  if (ids.size < steps.length) return undefined;
  const deps = new Map(
    steps.map((step, index) => [
      step.id,
      edgesOf(step, steps[index - 1]).flatMap((edge) => (ids.has(edge.from) ? edge.from : [])),
    ]),
  );
  const dependents = new Map<string, string[]>();
  const open = new Map<string, number>();
  for (const [id, from] of deps) {
    open.set(id, from.length);
    for (const source of from) {
      const known = dependents.get(source);
      if (known) known.push(id);
      else dependents.set(source, [id]);
    }
  }
  const ready = [...ids].filter((id) => open.get(id) === 0);
  for (let id = ready.pop(); id !== undefined; id = ready.pop()) {
    open.delete(id);
    for (const after of dependents.get(id) ?? []) {
      const left = (open.get(after) as number) - 1;
      open.set(after, left);
      if (left === 0) ready.push(after);
    }
  }
  // Each of what is left depends on another of what is left: walking back must come round.
  const trail = new Map<string, number>();
  let at = [...ids].find((id) => open.has(id));
  while (at !== undefined && !trail.has(at)) {
    trail.set(at, trail.size);
    at = deps.get(at)?.find((id) => open.has(id));
  }
  return at === undefined ? undefined : [...trail.keys()].slice(trail.get(at));
}
