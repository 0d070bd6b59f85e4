import type { JsonObject } from '../../model/json.ts';
import type { Problem, WorkflowDefinition } from '../../model/workflow.ts';
import { checkInputSecrets, sealed } from '../secrets/index.ts';
import { validateSchema } from '../values/schema.ts';
import { error } from './problem.ts';

/** The input of a run against the workflow's `inputs`, and for secrets that its policy blocks. */
export function checkInput(definition: WorkflowDefinition, input: JsonObject): Problem[] {
  const secrets = checkInputSecrets(definition, input);
  if (!definition.inputs) return secrets;
  const { valid, errors } = validateSchema(definition.inputs, input);
  if (valid) return secrets;
  const unfit = errors.map(({ path, message }) =>
    error('input_invalid', `/inputs${path}`, `The input does not fit: ${message}.`),
  );
  return [...sealed(unfit), ...secrets];
}
