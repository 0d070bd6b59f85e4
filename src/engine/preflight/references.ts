import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Condition, Problem } from '../../model/workflow.ts';
import type { Plan, PlanList, PlanStep } from '../plan.ts';
import {
  conditionReference,
  inspect,
  inspectCondition,
  inspectExpression,
  inspectSourced,
  type Reference,
} from '../values/references.ts';
import { error, warning } from './problem.ts';
import {
  checkBySchema,
  checkComparison,
  checkMembers,
  checkValue,
  declared,
  implausible,
  outputSchemaOf,
  typesOf,
} from './types.ts';

/** Where a text with references stands: in a field of a step, in a step's late field (after its inner list), or at the end of the file. */
interface Place {
  step?: PlanStep;
  /** The list whose end it stands at: a loop's body for `collect`, the root for the run's output. */
  endOf?: PlanList;
  pointer: string;
  secrets: boolean;
  input: boolean;
  value: boolean;
}

/** Every template and condition of the file: can it be read, and can what it names have settled by then (SPEC §3, §7). */
export function checkReferences(plan: Plan): Problem[] {
  const problems: Problem[] = [];
  const reach = reachability();
  const look = (found: ReturnType<typeof inspect>, place: Place): void => {
    for (const problem of found.problems)
      problems.push(error(problem.code, place.pointer + problem.pointer, problem.message, place.step?.id));
    for (const reference of found.references) problems.push(...checkReference(plan, reference, place, reach));
    for (const one of found.comparisons)
      problems.push(...checkComparison(plan, one, place.step, place.pointer, loopsAround(place)[0]));
  };
  const judge = (condition: Condition, place: Place): void => {
    look(inspectCondition(condition), place);
    const reference = conditionReference(condition);
    const types = reference && typesOf(declared(plan, reference, loopsAround(place)[0]));
    if (!types || types.has('boolean')) return;
    const message = `Compare it with something: ${String(condition)} is declared otherwise, and a condition is true or false.`;
    problems.push(warning('type_mismatch', place.pointer, message, place.step?.id));
  };
  for (const step of plan.steps.values()) {
    const { type, def, pointer } = step;
    const place = (field: string, more: Partial<Place> = {}): Place => ({
      step,
      pointer: `${pointer}/${field}`,
      secrets: type.secretFields?.includes(field) ?? false,
      input: false,
      value: false,
      ...more,
    });
    for (const field of type.templated) {
      const value = def[field] as Json | undefined;
      if (value === undefined) continue;
      const sourced = field === type.inputField;
      look(
        sourced ? inspectSourced(value) : inspect(value),
        place(field, { input: type.inputRoot === true && !sourced }),
      );
    }
    for (const field of type.late ?? []) {
      const body = step.lists.find((list) => list.role === 'body');
      if (def[field] !== undefined && body) look(inspect(def[field] as Json), place(field, { endOf: body }));
    }
    for (const field of type.conditions ?? [])
      if (def[field] !== undefined) judge(def[field] as Condition, place(field));
    if (def.when !== undefined) judge(def.when, place('when'));
    step.deps.forEach((edge, index) => {
      if (edge.when !== undefined) judge(edge.when, place(`dependsOn/${index}/when`));
    });
    const verify = step.lists.find((list) => list.role === 'verify');
    if (def.verify && verify) judge(def.verify.done, place('verify/done', { endOf: verify }));
    if (def.type === 'loop')
      problems.push(...checkValue(plan, step, def.over as Json, new Set(['array']), `${pointer}/over`));
    if (def.inputSchema) problems.push(...checkBySchema(plan, step, def.inputSchema));
    const takes = type.takes?.(def, plan.workflow);
    if (takes) problems.push(...checkMembers(plan, step, takes));
    if (def.cache?.key !== undefined) look(inspect(def.cache.key), place('cache/key'));
    if (def.fallback && 'value' in def.fallback) look(inspect(def.fallback.value), place('fallback/value'));
    if (def.operation === 'transform' && isObject(def.arguments) && typeof def.arguments.expression === 'string') {
      look(inspectExpression(def.arguments.expression), place('arguments/expression', { value: true }));
    }
    for (const id of (def.covers as string[] | undefined) ?? []) problems.push(...checkCover(plan, step, id, reach));
  }
  if (plan.workflow.output !== undefined) {
    look(inspect(plan.workflow.output), {
      endOf: plan.root,
      pointer: '/output',
      secrets: false,
      input: false,
      value: false,
    });
  }
  for (const [id, recipe] of Object.entries(plan.workflow.recipes ?? {})) {
    for (const field of ['prompt', 'system'] as const) {
      const text = recipe[field];
      if (text !== undefined) checkRecipeText(text, `/recipes/${id}/${field}`, recipe.inputSchema, problems);
    }
  }
  for (const [id, { instructions }] of Object.entries(plan.workflow.agents ?? {}))
    checkRecipeText(instructions, `/agents/${id}/instructions`, undefined, problems, 'An agent');
  return problems;
}

/** A library recipe, or an agent's profile, sees only its own `input`. */
function checkRecipeText(
  text: string,
  pointer: string,
  schema: JsonObject | undefined,
  problems: Problem[],
  who = 'A recipe',
): void {
  const found = inspect(text);
  for (const problem of found.problems) problems.push(error(problem.code, pointer, problem.message));
  for (const { root, path, text: expression } of found.references) {
    if (root !== 'input')
      problems.push(
        error(
          'not_visible',
          pointer,
          `${who} sees only its input, not ${expression}; pass it in through the step's input.`,
        ),
      );
    else if (implausible(schema, path))
      problems.push(warning('path_implausible', pointer, `The recipe's inputSchema has no ${expression}.`));
  }
}

function checkReference(plan: Plan, reference: Reference, place: Place, reach: Reach): Problem[] {
  const { root, member, path, text, guarded } = reference;
  const { pointer, step } = place;
  const fail = (code: string, message: string): Problem[] => [
    error(code, pointer + reference.pointer, message, step?.id),
  ];
  const problems: Problem[] = [];
  if (reference.hint && root === 'step' && member !== undefined && !plan.steps.has(member))
    return fail('template_invalid', `${text}: ${reference.hint}`);
  switch (root) {
    case 'step':
    case 'status':
      if (member === undefined) return [];
      return checkStepReference(plan, reference, place, member, reach);
    case 'workflow_input':
      if (!guarded && implausible(plan.workflow.inputs, path)) {
        problems.push(
          warning('path_implausible', pointer + reference.pointer, `The workflow's inputs have no ${text}.`, step?.id),
        );
      }
      return problems;
    case 'loop_item':
    case 'loop_index': {
      const [loop] = loopsAround(place);
      if (!loop) return fail('not_visible', `${root} is only there inside a loop.`);
      if (guarded || root !== 'loop_item' || !implausible(declared(plan, { ...reference, path: [] }, loop), path))
        return [];
      return [
        warning('path_implausible', pointer + reference.pointer, `The items of ${loop.id} have no ${text}.`, step?.id),
      ];
    }
    case 'loop':
      if (member === undefined || loopsAround(place).some((loop) => loop.id === member)) return [];
      return fail('not_visible', `${text}: there is no loop ${member} around this.`);
    case 'secret':
      if (!place.secrets)
        return fail(
          'template_invalid',
          `${text}: a secret can only be used in the arguments of a browser_action or mcp_tool.`,
        );
      return reference.plain
        ? []
        : fail(
            'template_invalid',
            `${text}: write a secret as {{secret.${member ?? 'name'}}} and nothing else inside the braces.`,
          );
    case 'input':
      return place.input
        ? []
        : fail(
            'not_visible',
            `${text}: \`input\` is only there in the texts of a recipe or an agent that has an input.`,
          );
    case 'error':
      return listsAround(place).some((list) => list.role === 'fallback')
        ? []
        : fail('not_visible', `${text}: \`error\` is only there inside a fallback.`);
    case 'value':
      return place.value ? [] : fail('not_visible', `${text}: \`value\` is only there in the expression of transform.`);
    case 'review':
      return listsAround(place).some((list) => list.role === 'revise')
        ? []
        : fail('not_visible', `${text}: \`review\` is only there inside revise.`);
    default:
      return [];
  }
}

function listsAround(place: Place): PlanList[] {
  const lists: PlanList[] = [];
  for (let list = place.endOf ?? place.step?.list; list; list = list.owner?.list) lists.push(list);
  return lists;
}

function loopsAround(place: Place): PlanStep[] {
  return listsAround(place).flatMap((list) =>
    list.kind === 'items' && list.role === 'body' && list.owner ? [list.owner] : [],
  );
}

type Reach = (from: PlanStep, to: PlanStep) => boolean;

/**
 * Whether `to` depends on `from`, over any number of edges of their list. One bit for each pair of steps of a list, set on the first
 * question about that list: a set for each step would take gigabytes for a file of some thousand steps. Expects lists without rings.
 */
function reachability(): Reach {
  const known = new Map<PlanList, { rank: Map<string, number>; rows: Uint32Array[] }>();
  const tableOf = (list: PlanList) => {
    let table = known.get(list);
    if (table) return table;
    const rank = new Map(list.steps.map((step, index) => [step.id, index]));
    const words = (list.steps.length + 31) >> 5;
    const rows: Uint32Array[] = list.steps.map(() => new Uint32Array(words));
    table = { rank, rows };
    known.set(list, table);
    // In the order in which steps can run: all that a step depends on is known before it.
    const open = list.steps.map((step) => step.deps.length);
    const ready = list.steps.filter((step) => step.deps.length === 0);
    for (let step = ready.pop(); step; step = ready.pop()) {
      const row = rows[rank.get(step.id) as number] as Uint32Array;
      for (const { from } of step.deps) {
        const at = rank.get(from) as number;
        (rows[at] as Uint32Array).forEach((bits, word) => {
          row[word] = (row[word] as number) | bits;
        });
        row[at >> 5] = (row[at >> 5] as number) | (1 << (at & 31));
      }
      for (const id of step.dependents) {
        const after = rank.get(id) as number;
        open[after] = (open[after] as number) - 1;
        if (open[after] === 0) ready.push(list.steps[after] as PlanStep);
      }
    }
    return table;
  };
  return (from, to) => {
    const { rank, rows } = tableOf(to.list);
    const at = rank.get(from.id) as number;
    return (((rows[rank.get(to.id) as number] as Uint32Array)[at >> 5] as number) & (1 << (at & 31))) !== 0;
  };
}

function checkStepReference(plan: Plan, reference: Reference, place: Place, id: string, reach: Reach): Problem[] {
  const { text, guarded } = reference;
  const pointer = place.pointer + reference.pointer;
  const target = plan.steps.get(id);
  if (!target) return [error('unknown_step', pointer, `${text}: there is no step ${id}.`, place.step?.id)];
  const around = new Set(listsAround(place));
  // Climb from the named step to a list that is around the place; what lies in between must be open to the outside.
  let ancestor = target;
  let maybe = false;
  while (!around.has(ancestor.list)) {
    const { list } = ancestor;
    if (list.kind === 'items' || list.role !== 'body' || !list.owner) {
      return [
        error(
          'not_visible',
          pointer,
          `${text}: what runs inside ${list.owner?.id} cannot be seen from here; use its output.`,
          place.step?.id,
        ),
      ];
    }
    if (list.owner.def.type === 'condition') maybe = true;
    ancestor = list.owner;
  }
  const { list } = ancestor;
  // The step of that same list in which the place sits; none when it stands at the list's end.
  let self = place.endOf === list ? undefined : (place.endOf?.owner ?? place.step);
  while (self && self.list !== list) self = self.list.owner;
  if (self) {
    // What a step gave is what its own compensation undoes.
    if (self === ancestor && listsAround(place).some((one) => one.role === 'compensate' && one.owner === ancestor))
      return [];
    if (self === ancestor)
      return [error('not_visible', pointer, `${text}: ${id} has not settled by then.`, place.step?.id)];
    if (reach(self, ancestor))
      return [error('not_visible', pointer, `${text}: ${id} runs only after ${self.id}.`, place.step?.id)];
    if (!reach(ancestor, self)) {
      return guarded
        ? []
        : [
            warning(
              'maybe_unsettled',
              pointer,
              `${text}: nothing says that ${id} is done by then; add it to dependsOn.`,
              place.step?.id,
            ),
          ];
    }
  }
  if (reference.root === 'status' || guarded) return [];
  const problems: Problem[] = [];
  if (maybe)
    problems.push(warning('maybe_skipped', pointer, `${text}: ${id} is in a branch that may not run.`, place.step?.id));
  if (implausible(outputSchemaOf(plan, target), reference.path)) {
    problems.push(warning('path_implausible', pointer, `What ${id} gives has no such path: ${text}.`, place.step?.id));
  }
  return problems;
}

/** A covered step must come after the gate, in its own list or inside a step of it. */
function checkCover(plan: Plan, gate: PlanStep, id: string, reach: Reach): Problem[] {
  const pointer = `${gate.pointer}/covers`;
  const covered = plan.steps.get(id);
  if (!covered) return [error('unknown_step', pointer, `${gate.id} covers ${id}, which is no step.`, gate.id)];
  let at: PlanStep | undefined = covered;
  while (at && at.list !== gate.list) at = at.list.owner;
  if (!at || at === gate || !reach(gate, at)) {
    return [
      error(
        'not_visible',
        pointer,
        `${gate.id} covers ${id}, which does not come after it in its own list or inside a step of it.`,
        gate.id,
      ),
    ];
  }
  if (!covered.type.run && !covered.type.child)
    return [
      error(
        'schema_invalid',
        pointer,
        `${gate.id} covers ${id}, but a ${covered.def.type} step does nothing that needs covering.`,
        gate.id,
      ),
    ];
  return [];
}
