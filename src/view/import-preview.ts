import type { StepRegistry } from '../engine/step-type.ts';
import { secretsNamed } from '../engine/values/secret-names.ts';
import type { Effect } from '../model/effect.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import type { StepDefinition } from '../model/workflow.ts';

/** What a workflow file wants, for the person who is about to keep it. Read from the file as data; nothing is checked here. */
export interface ImportPreview {
  id: string;
  name: string;
  description?: string;
  sites: string[];
  /** Step types (with the action, operation or tool where there is one), most frequent first. */
  steps: { label: string; count: number }[];
  effects: Record<Effect, number>;
  approvals: number;
  sendsToModel: boolean;
  mcpServers: string[];
  secrets: string[];
  /** Trigger types that start a run without a person. */
  startsItself: string[];
}

const SELF_STARTING = ['schedule', 'page', 'mcp', 'task_event'];

/**
 * Summary of a parsed file; `undefined` where it is no object with an id and steps.
 * @param registry says what each step does to the world; a step of a type that is not in it counts as `once`
 */
export function importPreview(file: unknown, registry: StepRegistry): ImportPreview | undefined {
  if (!isObject(file) || typeof file.id !== 'string' || !Array.isArray(file.steps)) return undefined;
  const preview: ImportPreview = {
    id: file.id,
    name: typeof file.name === 'string' ? file.name : file.id,
    description: typeof file.description === 'string' ? file.description : undefined,
    sites: strings(file.sites),
    steps: [],
    effects: { pure: 0, read: 0, idempotent: 0, once: 0 },
    approvals: 0,
    sendsToModel: false,
    mcpServers: [],
    secrets: secretsNamed(file),
    startsItself: [],
  };
  const counts = new Map<string, number>();
  const servers = new Set<string>();
  for (const step of stepsIn(file.steps)) {
    const type = step.type as string;
    const detail = [step.action, step.operation, step.tool].find((each) => typeof each === 'string') as
      | string
      | undefined;
    const label = detail === undefined ? type : `${type}: ${detail}`;
    counts.set(label, (counts.get(label) ?? 0) + 1);
    const effect = effectOf(step, registry);
    if (effect !== 'none') preview.effects[effect] += 1;
    if (type === 'approval') preview.approvals += 1;
    if (type === 'recipe' || type === 'agent') preview.sendsToModel = true;
    if (type === 'mcp_tool' && typeof step.server === 'string') servers.add(step.server);
  }
  preview.steps = [...counts].map(([label, count]) => ({ label, count })).sort((a, b) => b.count - a.count);
  preview.mcpServers = [...servers];
  preview.startsItself = startsItself(file.triggers);
  return preview;
}

const strings = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];

function effectOf(step: JsonObject, registry: StepRegistry): Effect | 'none' {
  const written = step.effect;
  if (written === 'pure' || written === 'read' || written === 'idempotent' || written === 'once') return written;
  const type = registry.get(String(step.type));
  return type ? type.effect(step as unknown as StepDefinition) : 'once';
}

/** All steps at any depth: an object with an id and a type inside a list. */
function* stepsIn(value: Json): Generator<JsonObject> {
  if (Array.isArray(value)) {
    for (const each of value) {
      if (isObject(each) && typeof each.type === 'string' && typeof each.id === 'string') yield each;
      if (isObject(each)) yield* nestedSteps(each);
    }
  }
}

function* nestedSteps(step: JsonObject): Generator<JsonObject> {
  for (const key of ['steps', 'then', 'else', 'revise', 'compensate']) yield* stepsIn(step[key] ?? null);
  if (isObject(step.branches)) for (const list of Object.values(step.branches)) yield* stepsIn(list);
  for (const key of ['fallback', 'verify']) {
    const holder = step[key];
    if (isObject(holder)) yield* stepsIn(holder.steps ?? null);
  }
}

function startsItself(triggers: Json | undefined): string[] {
  if (!Array.isArray(triggers)) return [];
  const types = triggers.flatMap((trigger) => {
    if (!isObject(trigger) || typeof trigger.type !== 'string' || !SELF_STARTING.includes(trigger.type)) return [];
    return trigger.type === 'page' && trigger.auto !== true ? [] : [trigger.type];
  });
  return [...new Set(types)];
}
