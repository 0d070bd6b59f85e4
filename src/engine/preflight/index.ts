import { hashJson } from '../../model/canonical.ts';
import { isObject, type Json } from '../../model/json.ts';
import type { Entries } from '../../model/library.ts';
import { isReservedSecret } from '../../model/secret-name.ts';
import type { Problem, StepDefinition, WorkflowDefinition } from '../../model/workflow.ts';
import type { FindWorkflow } from '../children/pins.ts';
import { withEntries } from '../entries/link.ts';
import { collectionOf, contextNames } from '../knowledge/base.ts';
import { compilePlan, type Plan } from '../plan.ts';
import { checkSecrets, checkSource, sealed } from '../secrets/index.ts';
import { readWorkflowSource } from '../source/index.ts';
import type { StepRegistry, StepType } from '../step-type.ts';
import { secretsNamed } from '../values/secret-names.ts';
import { checkCalls } from './children.ts';
import { checkGraph } from './graph.ts';
import { error, escapePointer, warning } from './problem.ts';
import { checkReferences } from './references.ts';
import { checkShape } from './shape.ts';
import { checkTools, type ListTools } from './tools.ts';
import { checkBySchema } from './types.ts';

/** What preflight has to ask of the outside. Absent answers are not checked: `tabloom validate` has no browser. */
export interface Environment {
  /** Names and ids of models that can be called; `undefined` asks for the default one. */
  modelConfigured?(model: string | undefined): Promise<boolean> | boolean;
  /** Origins of `sites` that the user has not granted. */
  missingOrigins?(sites: string[]): Promise<string[]> | string[];
  /** Workflows that can be called. */
  workflow?: FindWorkflow;
  /** Names of stored secrets. */
  secretNames?(): Promise<string[]> | string[];
  /** Asks an MCP server for its tools. */
  mcpTools?: ListTools;
  /** Of names in `context`, documents and `#collections`, those that stand for nothing in the knowledge base. */
  missingDocuments?(names: string[]): Promise<string[]> | string[];
}

/** Levels of lists and objects that a definition may have; what reads it further on walks it level by level. Files are held to the same. */
const MAX_DEPTH = 100;

function deeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return limit === 0 || Object.values(value).some((member) => deeperThan(member, limit - 1));
}

/**
 * All problems of a definition that need no outside, errors first. Nothing is thrown for bad input.
 * @param entries recipes and agents of the library, which the file may name beside its own
 */
export function checkDefinition(file: unknown, registry: StepRegistry, entries?: Entries): Problem[] {
  if (deeperThan(file, MAX_DEPTH))
    return [error('schema_invalid', '', `The workflow is nested more than ${MAX_DEPTH} levels deep.`)];
  const problems = checkShape(file, registry);
  const steps = isObject(file) && Array.isArray(file.steps) ? (file.steps as unknown[]) : [];
  // The graph of a file with wrong shapes can still be looked at where its steps at least have ids.
  const own = file as unknown as WorkflowDefinition;
  const looksRight = steps.length > 0 && problems.every((problem) => !fatal(problem));
  if (looksRight) {
    const definition = entries ? withEntries(own, entries) : own;
    problems.push(...checkGraph(definition.steps, registry));
    problems.push(...checkTypes(definition, registry));
    problems.push(...referencesWherePossible(definition, registry, problems).filter(isOfTheFile(own)));
  }
  return unique(checkSecrets((file ?? null) as Json, problems)).sort(
    (a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'),
  );
}

/** What is wrong in an entry of the library is no problem of the file that names it. */
function isOfTheFile({ recipes = {}, agents = {} }: WorkflowDefinition): (problem: Problem) => boolean {
  const own = new Set([
    ...Object.keys(recipes).map((id) => `recipes/${id}`),
    ...Object.keys(agents).map((id) => `agents/${id}`),
  ]);
  return ({ pointer }) => {
    const [, list, id] = pointer.split('/');
    return (list !== 'recipes' && list !== 'agents') || own.has(`${list}/${id}`);
  };
}

/** Problems of templates and references. A file with other problems is looked at as far as it can be: all are told at once. */
function referencesWherePossible(definition: WorkflowDefinition, registry: StepRegistry, found: Problem[]): Problem[] {
  const graphs = ['duplicate_id', 'unknown_step', 'cycle', 'duplicate_edge'];
  if (found.some((problem) => graphs.includes(problem.code))) return [];
  try {
    return checkReferences(compilePlan(definition, '', registry));
  } catch (thrown) {
    // Only a wrong shape that has been reported may keep us from looking.
    if (found.some((problem) => problem.code === 'schema_invalid')) return [];
    throw thrown;
  }
}

/** True for problems of shape after which steps, lists or edges cannot be trusted to be there. An unknown key is not one. */
function fatal(problem: Problem): boolean {
  if (problem.code !== 'schema_invalid') return false;
  const key = problem.pointer.slice(problem.pointer.lastIndexOf('/') + 1);
  return (
    [
      '',
      'id',
      'type',
      'steps',
      'then',
      'else',
      'branches',
      'dependsOn',
      'step',
      'fallback',
      'verify',
      'compensate',
      'revise',
      'covers',
    ].includes(key) || /^\d+$/.test(key)
  );
}

function checkTypes(workflow: WorkflowDefinition, registry: StepRegistry): Problem[] {
  const problems: Problem[] = [];
  const walk = (steps: StepDefinition[], base: string): void => {
    steps.forEach((step, index) => {
      // A file with an unknown type is not looked at so far.
      const type = registry.get(step.type) as StepType;
      const pointer = `${base}/${index}`;
      const found = type.check?.(step, {
        workflow,
        error: (code, inner, message) => error(code, pointer + inner, message, step.id),
        knows: (name) => registry.has(name),
        recipe: (id) => (Object.hasOwn(workflow.recipes ?? {}, id) ? workflow.recipes?.[id] : undefined),
      });
      problems.push(...(found ?? []));
      for (const list of type.lists?.(step) ?? []) walk(list.steps, pointer + list.pointer);
      if (step.fallback && 'steps' in step.fallback) walk(step.fallback.steps, `${pointer}/fallback/steps`);
      if (step.compensate) walk(step.compensate, `${pointer}/compensate`);
      if (step.verify) walk(step.verify.steps, `${pointer}/verify/steps`);
    });
  };
  walk(workflow.steps, '/steps');
  return problems;
}

function unique(problems: Problem[]): Problem[] {
  const seen = new Set<string>();
  const wrong = new Set(problems.flatMap(({ severity, pointer }) => (severity === 'error' ? pointer : [])));
  return problems.filter((problem) => {
    // An error in that place says it already.
    if (problem.code === 'type_mismatch' && wrong.has(problem.pointer)) return false;
    const key = `${problem.code} ${problem.pointer} ${problem.message}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** What only the outside knows: models, grants, secrets, other workflows. */
export async function checkEnvironment(
  definition: WorkflowDefinition,
  registry: StepRegistry,
  environment: Environment,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  const plan = compilePlan(definition, '', registry);
  const asked = new Set<string | undefined>();
  const secrets = environment.secretNames ? new Set(await environment.secretNames()) : undefined;
  for (const step of plan.steps.values()) {
    if (step.type.model && environment.modelConfigured) {
      const model = step.type.model(step.def, definition);
      const known = asked.has(model) || model?.includes('{{');
      asked.add(model);
      if (!known && !(await environment.modelConfigured(model))) {
        const what =
          model === undefined
            ? 'No model is ready: add an account with its key, and a default model, in Settings, Models.'
            : `The model "${model}" is not ready: add it, or the key of its account, in Settings, Models.`;
        problems.push(error('model_not_configured', step.pointer, what, step.id));
      }
    }
    if (secrets) {
      for (const name of secretsNamed(step.def.arguments)) {
        if (!secrets.has(name) || isReservedSecret(name))
          problems.push(
            error('secret_missing', step.pointer, `The secret "${name}" is not stored; add it in Settings.`, step.id),
          );
      }
    }
  }
  if (environment.mcpTools) problems.push(...(await checkTools(plan, environment.mcpTools)));
  problems.push(...(await checkDocuments(plan, environment)));
  for (const origin of definition.sites && environment.missingOrigins
    ? await environment.missingOrigins(definition.sites)
    : []) {
    problems.push(error('site_not_granted', '/sites', `Tabloom may not work on ${origin} yet; grant it access first.`));
  }
  problems.push(...(await checkPictures(plan, environment)));
  if (environment.workflow) {
    const calls = await checkCalls(definition, registry, environment.workflow);
    problems.push(...calls.problems);
    const seen = new Set<string>();
    for (const { callable, step, pointer } of calls.called) {
      // The first that a step leads to is the one it calls itself.
      if (seen.has(pointer)) continue;
      seen.add(pointer);
      const planned = plan.steps.get(step.id);
      if (planned) problems.push(...checkBySchema(plan, planned, callable.definition.inputs));
    }
    const { workflow: _, ...outside } = environment;
    // What a called workflow lacks is missing to whoever calls it.
    for (const { callable, step, pointer } of calls.called)
      for (const found of await checkEnvironment(callable.definition, registry, outside))
        problems.push({ ...found, pointer, step: step.id });
  }
  return unique(problems);
}

/** What a picture of a page needs: browsers give none to whoever has single sites only. */
const ALL_SITES = '<all_urls>';

/** A picture without that access waits for it in mid-run, so it is said before. */
async function checkPictures(plan: Plan, { missingOrigins }: Environment): Promise<Problem[]> {
  const shots = [...plan.steps.values()].filter(
    ({ def }) => def.type === 'browser_action' && def.action === 'screenshot',
  );
  if (shots.length === 0 || !missingOrigins || (await missingOrigins([ALL_SITES])).length === 0) return [];
  return shots.map(({ pointer, id }) =>
    warning(
      'site_not_granted',
      pointer,
      'Grant access to all sites before the run, or be there when this step asks for it: browsers give pictures of pages for nothing less.',
      id,
    ),
  );
}

async function checkDocuments(plan: Plan, { missingDocuments }: Environment): Promise<Problem[]> {
  const named = contextNames(plan);
  if (named.length === 0 || !missingDocuments) return [];
  const missing = new Set(await missingDocuments([...new Set(named.map(({ name }) => name))]));
  return named
    .filter(({ name }) => missing.has(name))
    .map(({ name, pointer, step }) => {
      const what = collectionOf(name) === undefined ? 'document' : 'collection';
      const message = `There is no ${what} "${name}" in the knowledge base: add it, or correct the name.`;
      return error('kb_document_missing', pointer, message, step);
    });
}

export interface ReadWorkflow {
  /** Set when the file could be read as a workflow, perhaps with problems. */
  definition?: WorkflowDefinition;
  /** SHA-256 of the definition's canonical JSON (SPEC §1). */
  revision?: string;
  /** With line and column. */
  problems: Problem[];
}

/**
 * Reads a workflow file and checks everything that needs no browser. Never throws.
 * @param entries as for {@link checkDefinition}
 */
export function readWorkflow(text: string, name: string, registry: StepRegistry, entries?: Entries): ReadWorkflow {
  const source = readWorkflowSource(text, { name });
  if (source.value === undefined) return { problems: sealed(source.problems) };
  const found = checkDefinition(source.value, registry, entries);
  if (!found.some(({ code }) => code === 'secret_detected')) found.push(...checkSource(text));
  const problems = [...sealed(source.problems), ...found].map((problem) =>
    problem.line === undefined ? { ...problem, ...source.locate(problem.pointer) } : problem,
  );
  if (!isObject(source.value)) return { problems };
  return { definition: source.value as unknown as WorkflowDefinition, revision: hashJson(source.value), problems };
}

export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some((problem) => problem.severity === 'error');
}

export { checkInput } from './input.ts';
export { escapePointer };
