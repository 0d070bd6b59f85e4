import { canonicalJson, sha256Hex } from '../model/canonical.ts';
import { type ErrorInfo, TabloomError } from '../model/errors.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import type { SecretUse } from '../ports/pages.ts';
import { startAgain } from './again.ts';
import { coverOf } from './approvals/covers.ts';
import { askAgain } from './approvals/gate.ts';
import { takeBudget } from './budget.ts';
import { aroundOf } from './calls/around.ts';
import { beginCalls, coverCall, effectNow, resolveCall } from './calls/begin.ts';
import { callChild } from './children/call.ts';
import { apartFailed, attemptFailed, finalFailure } from './failure.ts';
import { afterStep, complete, nextMove } from './flow.ts';
import { attempt, emit, MAX_VALUE, type Machine, pathIn, positionOf, textOf } from './machine.ts';
import type { PlanStep } from './plan.ts';
import { cacheKeyOf } from './result-cache.ts';
import { isRetryable } from './retry.ts';
import { type Extra, type Position, pathFrom, scopeAt } from './scope.ts';
import { withoutSecrets } from './secrets/index.ts';
import type { ListState, StepState } from './state.ts';
import { resolveFields } from './values/fields.ts';
import { descend, parseRelativePath } from './values/path.ts';
import { validateSchema } from './values/schema.ts';
import { openWait } from './waits.ts';

export interface Resolved {
  fields: JsonObject;
  secrets: SecretUse[];
}

/**
 * Resolves a step's own fields at a position: templates, sources named outright, and what its edges carry (SPEC §2, §3).
 * Secrets in them are refused or replaced here, before anything is shown, stored or sent (SPEC §6, *Secrets*).
 * @throws TabloomError `template_unresolved`, `template_invalid`, `input_invalid`, `secret_detected`
 */
export function resolveStep(m: Machine, position: Position, plan: PlanStep, extra: Extra = {}): Resolved {
  const { type, def } = plan;
  const raw: JsonObject = {};
  for (const field of type.templated) if (def[field] !== undefined) raw[field] = def[field] as Json;
  const options = { secretFields: type.secretFields ?? [] };
  const scope = scopeAt(m.state, position, extra);
  let inputPart: JsonObject = {};
  if (type.inputField && raw[type.inputField] !== undefined && type.inputRoot) {
    inputPart = resolveFields({ [type.inputField]: raw[type.inputField] as Json }, scope, plan.id, options).value;
    delete raw[type.inputField];
  }
  if (type.inputField) carry(m, position, plan, type.inputField, type.inputRoot ? inputPart : raw, extra);
  const input = type.inputField ? inputPart[type.inputField] : undefined;
  const inner =
    input === undefined ? scope : scopeAt(m.state, position, { ...extra, roots: { ...extra.roots, input } });
  const resolved = resolveFields(raw, inner, plan.id, options);
  const fields = { ...resolved.value, ...inputPart };
  return {
    fields: withoutSecrets(m.plan.workflow, `The input of ${plan.id}`, fields, plan.id),
    secrets: resolved.secrets,
  };
}

/** Puts what edges carry into the input. Values that came over an edge are marked literal: data is never expanded a second time. */
function carry(m: Machine, position: Position, plan: PlanStep, field: string, into: JsonObject, extra: Extra): void {
  for (const edge of plan.deps) {
    if (!edge.carries) continue;
    const path = pathFrom(m.plan, position, edge.from) as string;
    const source = extra.outputs?.get(path) ?? m.state.steps.get(path)?.row;
    const output = isRow(source) ? (source.status === 'completed' ? source.output : undefined) : source;
    if (output === undefined) {
      throw new TabloomError(
        'template_unresolved',
        `Step ${plan.id} takes its input from ${edge.from}, which has no output.`,
        { step: plan.id, field },
      );
    }
    let value: Json = output as Json;
    if (edge.output !== undefined) {
      const segments = parseRelativePath(edge.output);
      if (!segments)
        throw new TabloomError('template_invalid', `"${edge.output}" is not a path into the output of ${edge.from}.`, {
          step: plan.id,
          field,
        });
      try {
        value = descend(value, `step.${edge.from}`, segments);
      } catch {
        throw new TabloomError(
          'template_unresolved',
          `Step ${plan.id} takes ${edge.output} from ${edge.from}, which is not there.`,
          {
            step: plan.id,
            field,
            path: `step.${edge.from}.${edge.output}`,
          },
        );
      }
    }
    const literal: JsonObject = { from: 'static', value };
    if (edge.input === undefined) into[field] = plan.type.inputRoot ? value : literal;
    else {
      const base = into[field] === undefined ? {} : into[field];
      if (!isObject(base))
        throw new TabloomError(
          'input_invalid',
          `The ${field} of ${plan.id} must be an object to take ${edge.input} from an edge.`,
          { step: plan.id, field },
        );
      into[field] = { ...base, [edge.input]: plan.type.inputRoot ? value : literal };
    }
  }
}

function isRow(value: unknown): value is { status: string; output?: Json } {
  return typeof value === 'object' && value !== null && 'stepId' in value && 'runId' in value;
}

/** Checks the resolved input against the step's `inputSchema`. @throws TabloomError `input_invalid` */
export function checkInput(m: Machine, plan: PlanStep, fields: JsonObject): void {
  const schema = plan.def.inputSchema;
  if (schema) {
    const value = plan.type.inputField ? (fields[plan.type.inputField] ?? {}) : fields;
    const { valid, errors } = validateSchema(schema, value);
    if (!valid) {
      throw new TabloomError(
        'input_invalid',
        `The input of ${plan.id} does not fit its inputSchema: ${errors[0]?.message}.`,
        { step: plan.id },
      );
    }
  }
  if (textOf(m, fields).length > MAX_VALUE) {
    throw new TabloomError('input_invalid', `The input of ${plan.id} is larger than 1 MiB; pass an artifact instead.`, {
      step: plan.id,
    });
  }
}

/**
 * Why an output may not be kept, or undefined: it must be canonical JSON of at most 1 MiB and fit `outputSchema`.
 */
export function outputProblem(m: Machine, plan: PlanStep, output: Json): TabloomError | undefined {
  const text = attempt(plan.id, () => textOf(m, output));
  if ('error' in text)
    return new TabloomError('output_invalid', `The output of ${plan.id} is not JSON: ${text.error.message}`, {
      step: plan.id,
    });
  if (text.ok.length > MAX_VALUE) {
    return new TabloomError(
      'output_too_large',
      `The output of ${plan.id} is larger than 1 MiB; keep it as an artifact.`,
      { step: plan.id },
    );
  }
  const schema = plan.def.outputSchema;
  if (!schema) return undefined;
  const { valid, errors } = validateSchema(schema, output);
  if (valid) return undefined;
  return new TabloomError(
    'output_invalid',
    `The output of ${plan.id} does not fit its outputSchema: ${errors[0]?.message}.`,
    { step: plan.id },
  );
}

/** Begins a step whose moment has come. */
export function startStep(m: Machine, list: ListState, plan: PlanStep): void {
  const path = pathIn(list, plan);
  const { type } = plan;
  if (type.child) {
    callChild(m, list, plan);
    return;
  }
  if (type.run) {
    startAttempt(m, list, plan);
    return;
  }
  if (plan.counted) {
    const known = m.state.steps.get(path);
    const again = known?.retryAt !== undefined;
    emit(m, 'attempt.began', path, { attempt: (known?.row.attempt ?? 0) + 1 });
    if (again && type.container && known.opened > 0) {
      startAgain(m, known);
      return;
    }
  }
  const resolve = () => {
    const result = plan.call ? resolveCall(m, list, plan) : resolveStep(m, positionOf(list), plan);
    checkInput(m, plan, result.fields);
    return result;
  };
  if (type.calls) {
    beginCalls(m, list, plan, resolve);
    return;
  }
  const resolved = attempt(path, resolve);
  if (plan.call && 'ok' in resolved && !coverCall(m, list, plan, resolved.ok.fields)) return;
  if (type.container || 'error' in resolved) {
    emit(m, 'step.opened', path, { input: 'ok' in resolved ? resolved.ok.fields : {}, timeoutMs: plan.timeoutMs });
    const step = m.state.steps.get(path) as StepState;
    if ('error' in resolved) apartFailed(m, step, resolved.error);
    else nextMove(m, step);
    return;
  }
  if (type.compute) compute(m, list, plan, resolved.ok.fields);
  else openWait(m, list, plan, resolved.ok.fields);
}

/** A step that computes: it rides along in this transition, nothing is stored before its result. */
function compute(m: Machine, list: ListState, plan: PlanStep, fields: JsonObject): void {
  const path = pathIn(list, plan);
  const result = attempt(path, () => {
    const work = plan.type.compute as NonNullable<PlanStep['type']['compute']>;
    const value = work(fields, {
      runId: m.state.run.runId,
      path,
      step: plan.def,
      workflow: m.plan.workflow,
      scope: scopeAt(m.state, positionOf(list)),
      at: m.at,
    });
    const problem = value.skipped === undefined ? outputProblem(m, plan, value.output) : undefined;
    if (problem) throw problem;
    return { ...value, output: withoutSecrets(m.plan.workflow, `The output of ${plan.id}`, value.output, plan.id) };
  });
  if ('error' in result) {
    notBegun(m, path, plan, fields, result.error);
    return;
  }
  if (result.ok.skipped !== undefined) {
    emit(m, 'step.skipped', path, { kind: 'empty', reason: result.ok.skipped });
    afterStep(m, path);
    return;
  }
  m.artifacts.push(...(result.ok.artifacts ?? []));
  m.outbox.push(...(result.ok.outbox ?? []));
  m.knowledge.push(...(result.ok.knowledge ?? []));
  emit(m, 'step.completed', path, { output: result.ok.output, input: fields });
  afterStep(m, path);
}

/**
 * A step has failed before its work began, or in computing. That is final, and no attempt: it would fail again. Unless the step's own `retry.on`
 * names it.
 */
function notBegun(m: Machine, path: string, plan: PlanStep, fields: JsonObject, error: ErrorInfo): void {
  const before = m.state.steps.get(path);
  if (!before || before.row.status === 'pending') emit(m, 'step.opened', path, { input: fields });
  const named = plan.retry.on?.includes(error.code) && isRetryable(error.code, plan.retry);
  if (!named) {
    finalFailure(m, m.state.steps.get(path) as StepState, error);
    return;
  }
  emit(m, 'attempt.began', path, { attempt: (before?.row.attempt ?? 0) + 1 });
  attemptFailed(m, m.state.steps.get(path) as StepState, { ...error, acted: false });
}

/** Key of an outside effect: the same over all attempts, another for another step, item, run or arguments (SPEC §6). */
function idempotencyKey(m: Machine, path: string, fields: JsonObject): string {
  return sha256Hex(
    `{"fields":${textOf(m, fields)},"path":${canonicalJson(path)},"runId":${canonicalJson(m.state.run.runId)}}`,
  );
}

/**
 * Starts an attempt of a step with outside work: stores the intent, and asks for the work. What an approval covers is resolved again
 * here, and asked about again if it differs.
 */
function startAttempt(m: Machine, list: ListState, plan: PlanStep): void {
  const path = pathIn(list, plan);
  const known = m.state.steps.get(path);
  const resolved = attempt(path, () => {
    const result = plan.call ? resolveCall(m, list, plan) : resolveStep(m, positionOf(list), plan);
    checkInput(m, plan, result.fields);
    return { ...result, cacheKey: cacheKeyOf(m, list, plan, result.fields) };
  });
  if ('error' in resolved) {
    notBegun(m, path, plan, {}, resolved.error);
    return;
  }
  const { fields, secrets, cacheKey } = resolved.ok;
  const called = plan.call && coverCall(m, list, plan, fields);
  if (plan.call && !called) return;
  const cover = coverOf(m, list, plan, fields);
  if (cover.verdict === 'ask') {
    askAgain(m, list, plan, cover);
    return;
  }
  if (cover.verdict === 'refused') {
    emit(m, 'step.opened', path, { input: fields });
    finalFailure(m, m.state.steps.get(path) as StepState, {
      code: 'approval_rejected',
      message: cover.reason,
      step: path,
    });
    return;
  }
  const reserve = takeBudget(m, list, plan, fields);
  if (reserve === 'over') return;
  const number = (known?.row.attempt ?? 0) + 1;
  const last = known?.row.attempts.at(-1);
  // What works has one (SPEC §4).
  const timeoutMs = plan.timeoutMs as number;
  const key = idempotencyKey(m, path, fields);
  emit(m, 'step.started', path, {
    attempt: number,
    input: fields,
    effect: effectNow(m, plan),
    key,
    timeoutMs,
    approvalId: called?.approvalId ?? cover.approvalId,
    reserve,
    cacheKey,
  });
  m.effects.push({
    type: 'attempt',
    path,
    attempt: number,
    step: plan,
    fields,
    secrets,
    covered: called?.act ?? cover.act,
    key,
    timeoutMs,
    previous: last && { error: last.error, meta: last.meta },
    ...(cacheKey === undefined ? {} : { cacheKey }),
    earlier: known?.row.attempts.flatMap(({ error }) => error ?? []) ?? [],
    around: aroundOf(list),
  });
}

export { complete };
