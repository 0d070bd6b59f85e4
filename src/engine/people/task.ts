import { hashJson } from '../../model/canonical.ts';
import type { Command, CommandResult } from '../../model/commands.ts';
import { parseDuration } from '../../model/duration.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import { refuse } from '../approvals/decide.ts';
import { outputProblem } from '../begin.ts';
import { complete } from '../flow.ts';
import { emit, type Machine, pathIn } from '../machine.ts';
import type { PlanStep } from '../plan.ts';
import { secretError } from '../secrets/index.ts';
import type { ListState } from '../state.ts';
import { validateSchema } from '../values/schema.ts';

/** Work for a person, who gives what `form` asks for. It has no end of its own: `dueAfter` only says by when it is wanted. */
export function openTask(m: Machine, list: ListState, plan: PlanStep, fields: JsonObject): void {
  const path = pathIn(list, plan);
  const { def } = plan;
  const dueAfter = parseDuration(def.dueAfter);
  const data: JsonObject = {
    taskId: taskIdOf(m.state.run.runId, path),
    title: textOf(fields.title),
    instructions: textOf(fields.instructions),
    form: isObject(def.form) ? def.form : { type: 'object', properties: {} },
  };
  if (fields.assignee !== undefined) data.assignee = textOf(fields.assignee);
  if (dueAfter !== undefined) data.dueAt = m.at + dueAfter;
  emit(m, 'step.waiting', path, {
    input: fields,
    wait: {
      kind: 'task',
      since: m.at,
      due: plan.timeoutMs === undefined ? undefined : m.at + plan.timeoutMs,
      subject: data.taskId,
      reason: `waiting for ${data.title} to be done`,
      data,
    },
  });
}

/** The id of the task that a step asks for. */
export function taskIdOf(runId: string, path: string): string {
  return hashJson({ runId, path }).slice(0, 32);
}

/**
 * What a person gives for a task.
 * @returns `form_invalid` for data that do not fit the form, `not_waiting` where no task is open
 */
export function completeTask(
  m: Machine,
  by: string,
  command: Extract<Command, { type: 'completeTask' }>,
): CommandResult {
  const step = m.state.steps.get(command.path);
  const wait = step?.row.wait;
  if (!step || wait?.kind !== 'task' || !isObject(wait.data))
    return refuse('not_waiting', `${command.path} is no open task.`);
  const { form, taskId } = wait.data;
  const { valid, errors } = validateSchema(form as JsonObject, command.data);
  if (!valid) return refuse('form_invalid', `The form is not filled in right: ${errors[0]?.message}.`);
  const secret = m.plan.workflow.secretPolicy === 'redact' ? undefined : secretError('The form', command.data);
  if (secret) return refuse(secret.code, secret.message);
  const output = { ...command.data, taskId: taskId as string };
  const problem = outputProblem(m, step.plan, output);
  if (problem) return refuse('form_invalid', problem.message);
  complete(m, step, output, { by });
  return { ok: true };
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
}
