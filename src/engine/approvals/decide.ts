import type { Command, CommandResult, InboxCommand } from '../../model/commands.ts';
import { isObject, type Json, type JsonObject, jsonEqual } from '../../model/json.ts';
import type { ApprovalRow } from '../../model/run.ts';
import { finalFailure, finish } from '../failure.ts';
import { goOn } from '../flow.ts';
import { attempt, emit, type Machine } from '../machine.ts';
import type { StepState } from '../state.ts';
import { validateSchema } from '../values/schema.ts';
import { editedApproval } from './gate.ts';
import { makeRule, standingSites } from './rules.ts';

export function refuse(code: string, message: string, details?: Json): CommandResult {
  return { ok: false, code, message, ...(details !== undefined && { details }) };
}

type Decide = Extract<Command, { type: 'decide' }>;
type Edit = Extract<Command, { type: 'edit' }>;

/** Why a decided, expired or withdrawn approval takes no decision. Also used for rows of runs that are no longer in memory. */
export function closedAnswer(approval: ApprovalRow, command: Decide | Edit, by: string): CommandResult {
  const { status, decision, closed } = approval;
  if (status === 'expired' && closed && closed.at < approval.expiresAt) {
    return refuse(
      'approval_expired',
      "The step's own timeout was over; nothing was done. Decide on what it asks next, or retry the run to be asked again.",
    );
  }
  if (status === 'expired') {
    return refuse(
      'approval_expired',
      'This approval has expired; nothing was done. Start or retry the run to be asked again.',
    );
  }
  if (decision && command.type === 'decide') {
    const same =
      decision.decision === command.decision &&
      decision.by === by &&
      decision.comment === (command.comment ?? '') &&
      jsonEqual((decision.edits ?? {}) as Json, (command.edits ?? {}) as Json);
    if (same) return { ok: true, data: { repeated: true } };
  }
  if (decision) {
    return refuse(
      'already_decided',
      `This was already ${decision.decision} by ${decision.by} at ${new Date(decision.at).toISOString()}.`,
      { outcome: decision.decision, by: decision.by, at: decision.at },
    );
  }
  if (closed?.by !== undefined) {
    return refuse(
      'run_finished',
      `This was withdrawn: its run was cancelled by ${closed.by} at ${new Date(closed.at).toISOString()}.`,
      { outcome: 'cancelled', by: closed.by, at: closed.at },
    );
  }
  return refuse('run_finished', 'This approval was withdrawn since its run has ended or moved on.');
}

/** Everything that must hold before a decision or an edit is taken; the order is the one in which a person would want to know. */
function check(
  m: Machine,
  step: StepState | undefined,
  inbox: InboxCommand,
  command: Decide | Edit,
): CommandResult | undefined {
  const approval = step?.approval;
  if (!approval) return refuse('not_waiting', `${command.path} is not waiting for an approval.`);
  if (approval.status !== 'pending') return closedAnswer(approval, command, inbox.by);
  if (m.at >= approval.expiresAt) return refuse('approval_expired', 'This approval has expired; nothing was done.');
  if (!inbox.roles.includes(approval.requiredRole)) {
    return refuse('role_missing', `This needs the role ${approval.requiredRole}; ask somebody who has it.`);
  }
  if (command.hash !== approval.hash) {
    return refuse(
      'approval_mismatch',
      'What is asked has changed since it was shown; look at it again and decide on what it is now.',
    );
  }
  return undefined;
}

/** Edits must be allowed by `editable` and leave a payload that fits it. */
function applyEdits(m: Machine, step: StepState, edits: JsonObject): ApprovalRow | CommandResult {
  const { editable } = step.approval as ApprovalRow;
  if (!editable) return refuse('form_invalid', 'This approval cannot be edited; approve or reject it as it is.');
  const known = isObject(editable.properties) ? editable.properties : undefined;
  const stray = known && Object.keys(edits).find((key) => !Object.hasOwn(known, key));
  if (stray !== undefined) return refuse('form_invalid', `"${stray}" cannot be edited.`);
  const built = attempt(step.row.path, () => editedApproval(m, step, edits));
  if ('error' in built) return refuse('form_invalid', built.error.message);
  const { valid, errors } = validateSchema(editable, built.ok.show as Json);
  if (!valid) return refuse('form_invalid', `The edit does not fit: ${errors[0]?.message}.`);
  return built.ok;
}

/** An edit changes the payload, makes a new hash and decides nothing. */
export function editApproval(m: Machine, inbox: InboxCommand, command: Edit): CommandResult {
  const step = m.state.steps.get(command.path);
  const refusal = check(m, step, inbox, command);
  if (refusal || !step) return refusal ?? refuse('not_waiting', 'Nothing to edit.');
  const edited = applyEdits(m, step, command.edits);
  if ('ok' in edited) return edited;
  emit(m, 'approval.edited', command.path, { approval: edited, by: inbox.by });
  return { ok: true, data: { hash: edited.hash } };
}

/** A decision: a compare-and-set on pending, hash, role and expiry. */
export function decideApproval(m: Machine, inbox: InboxCommand, command: Decide): CommandResult {
  const step = m.state.steps.get(command.path);
  const refusal = check(m, step, inbox, command);
  if (refusal || !step) return refusal ?? refuse('not_waiting', 'Nothing to decide.');
  let approval = step.approval as ApprovalRow;
  const edits = command.edits && Object.keys(command.edits).length > 0 ? command.edits : undefined;
  const always = command.always === true && command.decision === 'approved';
  if (always && (edits || !mayStand(m, step, approval, inbox.by))) {
    return refuse(
      'rule_not_allowed',
      'This may not be allowed for always: only what can be undone and names its acts and sites. Approve it once.',
    );
  }
  if (edits && command.decision === 'approved') {
    const edited = applyEdits(m, step, edits);
    if ('ok' in edited) return edited;
    approval = edited;
  }
  const comment = command.comment ?? '';
  const rule = always ? makeRule(m.plan, step.plan, approval, inbox.by, m.at) : undefined;
  const { by, surface } = inbox;
  const decision = { decision: command.decision, by, at: m.at, comment, surface, edits, gave: rule?.ruleId };
  if (rule) m.rules.push(rule);
  emit(m, 'approval.decided', command.path, { approval: { ...approval, status: command.decision, decision } });
  if (step.plan.type.wait === 'approval') decideGate(m, step, decision, approval.show ?? null);
  else if (command.decision === 'rejected') reject(m, step, comment);
  else {
    emit(m, 'step.resumed', command.path);
    goOn(m, step);
  }
  return { ok: true, data: { hash: approval.hash } };
}

/** Whether a standing rule may be given here: by a person, at the gate itself, for what may stand. A client never gives one. */
function mayStand(m: Machine, step: StepState, approval: ApprovalRow, by: string): boolean {
  const person = by === 'person' || by === 'cli';
  return person && step.plan.type.wait === 'approval' && standingSites(m.plan, approval) !== undefined;
}

/** What a decision means for the gate that asked. */
export function decideGate(
  m: Machine,
  step: StepState,
  decision: NonNullable<ApprovalRow['decision']>,
  value: Json,
): void {
  if (decision.decision === 'rejected' && step.plan.def.onReject !== 'continue') {
    reject(m, step, decision.comment);
    return;
  }
  const { decision: word, by, comment } = decision;
  finish(m, step, { decision: word, by, at: new Date(decision.at).toISOString(), comment, value });
}

function reject(m: Machine, step: StepState, comment: string): void {
  const because = comment ? `: ${comment}` : '';
  finalFailure(m, step, {
    code: 'approval_rejected',
    message: `${step.row.name} was rejected${because}.`,
    step: step.row.path,
  });
}
