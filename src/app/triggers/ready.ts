import { checkInput } from '../../engine/preflight/index.ts';
import { mapInput, withDefaults } from '../../engine/triggers/input.ts';
import type { JsonObject } from '../../model/json.ts';
import type { TriggerDefinition } from '../../model/triggers.ts';
import type { WorkflowDefinition } from '../../model/workflow.ts';
import type { App } from '../app.ts';
import { accountsOf, consents } from '../consent.ts';

type Around = Pick<App, 'store' | 'library' | 'models' | 'registry'>;

/** The input of a run as a trigger gives it, with the schema's defaults. */
export function inputOf(definition: WorkflowDefinition, trigger: TriggerDefinition, root: JsonObject): JsonObject {
  return withDefaults(definition.inputs, mapInput(trigger.input, root));
}

/**
 * Where texts of pages would go without the person having said that they may; a surface asks for that, so nothing starts by itself before.
 * @returns addresses or names of providers
 */
export async function unasked(app: Around, definition: WorkflowDefinition): Promise<string[]> {
  const settings = await app.models.get();
  const wanted = accountsOf(definition, app.registry, settings);
  const all = await consents(app.store, settings);
  return all.filter(({ account, given }) => given === undefined && wanted.includes(account)).map(({ where }) => where);
}

/** Whether a run would begin without another word from the person. */
export async function startsAtOnce(app: Around, definition: WorkflowDefinition, input: JsonObject): Promise<boolean> {
  if (checkInput(definition, input).length > 0) return false;
  if ((await unasked(app, definition)).length > 0) return false;
  return (await app.library.environment(definition)).length === 0;
}
