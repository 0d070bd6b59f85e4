import { canonicalJson, hashJson } from '../../model/canonical.ts';
import { durationMs } from '../../model/duration.ts';
import { TabloomError } from '../../model/errors.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { ApprovalRow, CoveredAct } from '../../model/run.ts';
import { finalFailure } from '../failure.ts';
import { attempt, emit, MAX_VALUE, type Machine, pathIn } from '../machine.ts';
import type { PlanStep } from '../plan.ts';
import type { ListState, StepState } from '../state.ts';
import { coveredActs } from './covers.ts';
import { standingSites } from './rules.ts';

/** SPEC §5: how long an approval stays open when nothing is written. */
const EXPIRES_MS = 86_400_000;

/** What a decision is bound to: SHA-256 over run, path, revision, run input, everything shown, role and expiry (SPEC §6). */
export function approvalHash(
  approval: Omit<ApprovalRow, 'hash' | 'status' | 'approvalId' | 'decision' | 'replaces'>,
  inputHash: string,
): string {
  const { runId, path, revision, title, message, risk, show, covers, requiredRole, expiresAt } = approval;
  return hashJson({
    runId,
    path,
    revision,
    input: inputHash,
    title,
    message,
    risk,
    show: show ?? null,
    covers: covers as unknown as Json,
    requiredRole,
    expiresAt,
  });
}

interface Ask {
  title: string;
  message: string;
  show?: Json;
  covers: CoveredAct[];
  editable?: JsonObject;
  replaces?: ApprovalRow['replaces'];
}

export function buildApproval(m: Machine, path: string, gate: PlanStep, ask: Ask): ApprovalRow {
  const { def } = gate;
  const body = {
    runId: m.state.run.runId,
    path,
    gate: gate.id,
    workflowId: m.state.run.workflowId,
    workflowName: m.state.run.workflowName,
    revision: m.state.run.revision,
    title: ask.title,
    message: ask.message,
    risk: (def.risk as ApprovalRow['risk'] | undefined) ?? 'reversible',
    requiredRole: (def.requiredRole as string | undefined) ?? 'owner',
    show: ask.show,
    editable: ask.editable,
    covers: ask.covers,
    createdAt: m.at,
    expiresAt: m.at + (def.expiresAfter === undefined ? EXPIRES_MS : durationMs(def.expiresAfter as string | number)),
  };
  // Asked again within the same millisecond it would be the same question: an answer given before must not count for it.
  const before = m.state.steps.get(path)?.approval;
  if (before && before.expiresAt >= body.expiresAt) body.expiresAt = before.expiresAt + 1;
  const hash = approvalHash(body, m.state.run.inputHash);
  return { ...body, hash, approvalId: hash.slice(0, 24), status: 'pending', replaces: ask.replaces };
}

export function request(m: Machine, path: string, approval: ApprovalRow, timeoutMs?: number): void {
  emit(m, 'step.waiting', path, {
    wait: {
      kind: 'approval',
      since: m.at,
      due: timeoutMs === undefined ? approval.expiresAt : Math.min(approval.expiresAt, m.at + timeoutMs),
      subject: approval.approvalId,
      reason: `waiting for approval: ${approval.title}`,
    },
  });
  emit(m, 'approval.requested', path, { approval });
}

/** Asks a person, at an `approval` step. Nothing is held in memory: the row and its hash are all there is. */
export function openGate(m: Machine, list: ListState, plan: PlanStep, fields: JsonObject): void {
  const path = pathIn(list, plan);
  const editable = plan.def.editable as JsonObject | undefined;
  const built = attempt(path, () => {
    const show = fields.show;
    if (editable && !isObject(show)) {
      throw new TabloomError('input_invalid', `The approval ${plan.id} is editable, so its show must be an object.`, {
        step: plan.id,
        field: 'show',
      });
    }
    const covers = coveredActs(m, list, plan, show ?? null);
    if (canonicalJson(covers as unknown as Json).length > MAX_VALUE) {
      throw new TabloomError(
        'output_too_large',
        `What ${plan.id} covers is larger than 1 MiB; approve it in smaller batches.`,
        { step: plan.id },
      );
    }
    const asked = buildApproval(m, path, plan, {
      title: String(fields.title),
      message: String(fields.message ?? ''),
      show,
      covers,
      editable,
    });
    const standing = standingSites(m.plan, asked);
    return standing ? { ...asked, standing } : asked;
  });
  if ('error' in built) {
    emit(m, 'step.opened', path, { input: fields });
    finalFailure(m, m.state.steps.get(path) as StepState, built.error);
    return;
  }
  request(m, path, built.ok, plan.timeoutMs);
}

/** A covered act is not what was approved: nothing is done, and a new approval is asked for exactly what it is now. */
export function askAgain(
  m: Machine,
  list: ListState,
  plan: PlanStep,
  { gate: id, act, reason }: { gate: string; act: CoveredAct; reason: string },
): void {
  const path = pathIn(list, plan);
  const gate = m.plan.steps.get(id) as PlanStep;
  const before = m.state.covers.get(path)?.get(id);
  const show: JsonObject = { now: act as unknown as Json };
  if (before) show.approved = before.act as unknown as Json;
  request(
    m,
    path,
    buildApproval(m, path, gate, {
      title: `Approve again: ${act.name}`,
      message: `This was not done, since ${reason}. Look at it and decide.`,
      show,
      covers: [act],
      replaces: { hash: before?.approvalId ?? '', reason },
    }),
  );
}

/**
 * The approval with edits merged into its payload at the top level: a new hash, and new acts where it covers any.
 * @throws TabloomError `not_visible` where what is covered cannot be resolved with the edits
 */
export function editedApproval(m: Machine, step: StepState, edits: JsonObject): ApprovalRow {
  const approval = step.approval as ApprovalRow;
  // Only a gate with an object to show can be edited, and none that a covered act has asked for anew.
  const show = { ...(approval.show as JsonObject), ...edits };
  const covers = coveredActs(m, step.list, step.plan, show);
  const body = { ...approval, show, covers };
  const hash = approvalHash(body, m.state.run.inputHash);
  const { standing: _, ...edited } = body;
  return { ...edited, hash, replaces: { hash: approval.hash, reason: 'edited' } };
}
