import { hashJson } from '../../model/canonical.ts';
import type { Command, CommandResult } from '../../model/commands.ts';
import { parseDuration } from '../../model/duration.ts';
import type { ErrorInfo } from '../../model/errors.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { refuse } from '../approvals/decide.ts';
import { outputProblem } from '../begin.ts';
import { finalFailure } from '../failure.ts';
import { complete, enterList } from '../flow.ts';
import { emit, type Machine, pathIn } from '../machine.ts';
import { type PlanStep, REVISE } from '../plan.ts';
import { secretError } from '../secrets/index.ts';
import type { ListState, StepState } from '../state.ts';
import { textOf } from './task.ts';

/** SPEC §5: how long a review stays open, and how often changes may be asked for, when nothing is written. */
const EXPIRES_MS = 86_400_000;
const MAX_ROUNDS = 3;

/** Asks a person to read something. */
export function openReview(m: Machine, list: ListState, plan: PlanStep, fields: JsonObject): void {
  const path = pathIn(list, plan);
  emit(m, 'step.opened', path, { input: fields });
  ask(m, m.state.steps.get(path) as StepState, fields.content as Json, 0);
}

/** The wait is bound to what is shown by a hash over run, path, revision, content, round, role and end, like an approval. */
function ask(m: Machine, step: StepState, content: Json, rounds: number): void {
  const { def } = step.plan;
  const { path } = step.row;
  const expiresAt = m.at + (parseDuration(def.expiresAfter) ?? EXPIRES_MS);
  // All rounds of one attempt share its time.
  const began = step.row.attempts.at(-1)?.startedAt ?? m.at;
  const due = Math.min(expiresAt, began + (step.plan.timeoutMs ?? Number.POSITIVE_INFINITY));
  const data: JsonObject = {
    title: textOf(step.fields?.title),
    content,
    rounds,
    maxRounds: limitOf(step),
    revisable: Array.isArray(def.revise),
    expiresAt,
    requiredRole: typeof def.requiredRole === 'string' ? def.requiredRole : 'owner',
  };
  const { runId, revision } = m.state.run;
  const bound = { runId, path, revision, content, rounds, role: data.requiredRole as Json, expiresAt };
  emit(m, 'step.waiting', path, {
    wait: {
      kind: 'review',
      since: m.at,
      due,
      subject: hashJson(bound),
      reason: `waiting for a review of ${data.title}`,
      data,
    },
  });
}

function limitOf(step: StepState): number {
  return typeof step.plan.def.maxRounds === 'number' ? step.plan.def.maxRounds : MAX_ROUNDS;
}

/**
 * A reviewer's word (SPEC §5, `review`).
 * @returns refusals `not_waiting`, `approval_mismatch` (it names something else than what is open), `role_missing`, `form_invalid`
 */
export function decideReview(
  m: Machine,
  { by, roles }: { by: string; roles: readonly string[] },
  command: Extract<Command, { type: 'review' }>,
): CommandResult {
  const { path, decision, comment = '' } = command;
  const step = m.state.steps.get(path);
  const wait = step?.row.wait;
  if (!step || wait?.kind !== 'review' || !isObject(wait.data))
    return refuse('not_waiting', `${path} is no open review.`);
  if (command.hash !== wait.subject)
    return refuse('approval_mismatch', 'What you read has changed since; read it again.');
  const { requiredRole, rounds: round, content: shown = null } = wait.data;
  if (!roles.includes(String(requiredRole)))
    return refuse('role_missing', `This needs the role ${requiredRole}; ask somebody who has it.`);
  if (wait.due !== undefined && m.at >= wait.due) return refuse('not_waiting', 'The time for this review is over.');
  const rounds = Number(round);
  if (decision === 'edit' && command.content === undefined)
    return refuse('form_invalid', 'An edit needs the edited content.');
  const content = decision === 'edit' ? (command.content as Json) : shown;
  if (decision === 'request_changes' && !Array.isArray(step.plan.def.revise))
    return refuse('form_invalid', 'This review has no steps that make changes: edit it, accept it or reject it.');
  if (m.plan.workflow.secretPolicy !== 'redact') {
    const secret = secretError('The review', [comment, decision === 'edit' ? content : null]);
    if (secret) return refuse(secret.code, secret.message);
  }
  const output = { decision: decision === 'edit' ? 'edited' : 'accepted', content, comment, rounds };
  const accepts = decision === 'accept' || decision === 'edit';
  const problem = accepts ? outputProblem(m, step.plan, output) : undefined;
  if (problem) return refuse('form_invalid', problem.message);
  emit(m, 'review.decided', path, { decision, by, comment, round: rounds + 1, payload: shown });
  if (accepts) complete(m, step, output);
  else if (decision === 'reject') reject(m, step, `${step.row.name} was rejected${comment ? `: ${comment}` : ''}.`);
  else if (rounds >= limitOf(step)) reject(m, step, `${step.row.name} was sent back more than ${limitOf(step)} times.`);
  else revise(m, step);
  return { ok: true };
}

function reject(m: Machine, step: StepState, message: string): void {
  finalFailure(m, step, { code: 'review_rejected', message, step: step.row.path });
}

function revise(m: Machine, step: StepState): void {
  const { path } = step.row;
  emit(m, 'step.holding', path, { why: 'revise' });
  const index = (step.revisions ?? 0) + 1;
  emit(m, 'list.opened', path, { name: REVISE, index });
  enterList(m, step.lists.get(`${REVISE}[${index}]`) as ListState);
}

/** A revision is over: its last output is what is read next. */
export function revised(
  m: Machine,
  step: StepState,
  list: ListState,
  output: Json,
  error: ErrorInfo | undefined,
): void {
  emit(m, 'list.settled', step.row.path, {
    name: REVISE,
    index: list.index,
    status: error ? 'failed' : 'completed',
    error,
  });
  if (error) finalFailure(m, step, error);
  else ask(m, step, output, (step.review as NonNullable<StepState['review']>).round);
}

/** Nobody read it in time. */
export function reviewExpired(m: Machine, step: StepState): void {
  const message = `Nobody reviewed ${step.row.name} in time; it was neither accepted nor rejected.`;
  finalFailure(m, step, { code: 'review_expired', message, step: step.row.path });
}
