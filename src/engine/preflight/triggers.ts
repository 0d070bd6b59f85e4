import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { TRIGGER_TYPES, type TriggerType } from '../../model/triggers.ts';
import type { Problem } from '../../model/workflow.ts';
import { unattended } from '../triggers/kinds.ts';
import { inspect } from '../values/references.ts';
import { parsePattern, patternCovered } from '../values/sites.ts';
import { problemsOf } from './issues.ts';
import { error, escapePointer, warning } from './problem.ts';
import { TRIGGER_FIELDS, TRIGGER_SCHEMAS } from './trigger-schema.ts';

/** Every trigger of a file against its own type (SPEC §9): shape, ids, pages that `sites` do not allow, templates. */
export function checkTriggers(file: JsonObject): Problem[] {
  if (!Array.isArray(file.triggers)) return [];
  const ids = new Map<string, number>();
  return file.triggers.flatMap((trigger, index): Problem[] => {
    if (!isObject(trigger)) return [];
    const pointer = `/triggers/${index}`;
    const type = TRIGGER_TYPES.find((each) => each === trigger.type);
    if (!type) {
      const given = trigger.type === undefined ? '(none given)' : JSON.stringify(trigger.type);
      const known = `There is no trigger type ${given}; known are ${TRIGGER_TYPES.join(', ')}.`;
      return [error('schema_invalid', `${pointer}/type`, known)];
    }
    const parsed = TRIGGER_SCHEMAS[type].safeParse(trigger);
    return [
      ...(parsed.success ? [] : problemsOf(parsed.error.issues, pointer)),
      ...doubled(trigger, index, ids),
      ...checkMatch(trigger, pointer, file.sites),
      ...notYet(trigger, pointer),
      ...checkInput(trigger, type, pointer, file.inputs),
    ];
  });
}

function doubled({ id }: JsonObject, index: number, ids: Map<string, number>): Problem[] {
  if (typeof id !== 'string') return [];
  const first = ids.get(id);
  if (first === undefined) {
    ids.set(id, index);
    return [];
  }
  const message = `Give this trigger another id: "${id}" is that of trigger ${first + 1} already.`;
  return [error('duplicate_id', `/triggers/${index}/id`, message)];
}

/** A part of the format that this version does not have: refused, never run without it. */
function notYet({ type, button }: JsonObject, pointer: string): Problem[] {
  if (type !== 'page' || button !== true) return [];
  const message = '`button: true` is part of the format, but this version puts no buttons into pages yet.';
  return [error('schema_invalid', `${pointer}/button`, message)];
}

function checkMatch({ match }: JsonObject, pointer: string, sites: Json | undefined): Problem[] {
  if (!Array.isArray(match)) return [];
  const allowed = Array.isArray(sites) ? sites.filter((site): site is string => typeof site === 'string') : [];
  return match.flatMap((pattern, index): Problem[] => {
    if (typeof pattern !== 'string') return [];
    const place = `${pointer}/match/${index}`;
    try {
      parsePattern(pattern);
    } catch (thrown) {
      return [error('schema_invalid', place, (thrown as Error).message)];
    }
    if (patternCovered(allowed, pattern)) return [];
    return [
      error(
        'site_not_allowed',
        place,
        `Add ${pattern} to \`sites\`: a trigger may only look at pages that they cover.`,
      ),
    ];
  });
}

function checkInput(
  { input, auto }: JsonObject,
  type: TriggerType,
  pointer: string,
  inputs: Json | undefined,
): Problem[] {
  const given = isObject(input) ? input : {};
  const schema = isObject(inputs) ? inputs : {};
  const known = isObject(schema.properties) ? schema.properties : {};
  const problems: Problem[] = [];
  const found = inspect(given);
  for (const problem of found.problems)
    problems.push(error(problem.code, `${pointer}/input${problem.pointer}`, problem.message));
  for (const { root, path, text, pointer: at, guarded } of found.references) {
    const place = `${pointer}/input${at}`;
    const [first] = path;
    if (root !== 'trigger')
      problems.push(error('not_visible', place, `${text}: the input of a trigger can only use \`trigger\`.`));
    else if (!guarded && first !== undefined && !['type', 'id', ...TRIGGER_FIELDS[type]].includes(String(first)))
      problems.push(warning('path_implausible', place, `A trigger of type ${type} does not give ${text}.`));
  }
  if (schema.additionalProperties !== true && schema.patternProperties === undefined && isObject(inputs))
    for (const name of Object.keys(given))
      if (!Object.hasOwn(known, name))
        problems.push(
          warning(
            'path_implausible',
            `${pointer}/input/${escapePointer(name)}`,
            `The workflow's inputs have no ${name}.`,
          ),
        );
  if (!unattended(type, auto === true) || !Array.isArray(schema.required)) return problems;
  for (const name of schema.required) {
    const property = typeof name === 'string' ? known[name] : undefined;
    if (typeof name !== 'string' || Object.hasOwn(given, name) || (isObject(property) && 'default' in property))
      continue;
    const message = `Give \`${name}\` in the input of this trigger: the workflow needs it, and nobody is there to be asked.`;
    problems.push(warning('input_invalid', pointer, message));
  }
  return problems;
}
