import { TabloomError } from '../../model/errors.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { plainScope } from '../../model/roots.ts';
import type { TriggerDefinition } from '../../model/triggers.ts';
import { resolve } from '../values/template.ts';

/** Longest text of a page that is handed to a run as part of its trigger, in characters. */
const LONGEST = 20_000;

/** The root `trigger`: what is known of a firing. Texts that are too long are cut, what is not known is left out. */
export function triggerRoot(
  trigger: Pick<TriggerDefinition, 'id' | 'type'>,
  known: Record<string, Json | undefined>,
): JsonObject {
  const root: JsonObject = { type: trigger.type, id: trigger.id };
  for (const [name, value] of Object.entries(known))
    if (value !== undefined) root[name] = typeof value === 'string' ? value.slice(0, LONGEST) : value;
  return root;
}

/**
 * The run's input as a trigger gives it. A name whose template asks for what this firing does not have is left out: it is asked for, or the
 * schema's own default stands.
 */
export function mapInput(input: TriggerDefinition['input'], trigger: JsonObject): JsonObject {
  const scope = plainScope({ trigger });
  const given: JsonObject = {};
  for (const [name, template] of Object.entries(input ?? {})) {
    try {
      given[name] = resolve(template, scope, { step: 'trigger', field: `input.${name}` });
    } catch (thrown) {
      if (!TabloomError.is(thrown)) throw thrown;
    }
  }
  return given;
}

/** An input with the defaults of its schema for what is not there, as the run form would fill them in. */
export function withDefaults(schema: JsonObject | undefined, input: JsonObject): JsonObject {
  const properties = isObject(schema?.properties) ? schema.properties : {};
  const filled: JsonObject = { ...input };
  for (const [name, property] of Object.entries(properties))
    if (!Object.hasOwn(filled, name) && isObject(property) && property.default !== undefined)
      filled[name] = property.default;
  return filled;
}
