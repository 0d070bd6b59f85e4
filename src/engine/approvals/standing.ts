import type { ApprovalRow } from '../../model/run.ts';
import { emit, type Machine } from '../machine.ts';
import { decideGate } from './decide.ts';
import { ruleFor } from './rules.ts';

/**
 * Where a gate has just asked and a standing rule of the person answers it, decides by that rule: a decision like any other, in the chain,
 * `by: rule:<id>`. What it covers is still looked at again at the moment of the act.
 */
export function applyRule(m: Machine, path: string): void {
  const step = m.state.steps.get(path);
  const approval = step?.approval;
  if (!step || approval?.status !== 'pending') return;
  const rule = ruleFor(m.standing, m.plan, step.plan, approval, m.at);
  if (!rule) return;
  const { ruleId, by, createdAt } = rule;
  const decision: NonNullable<ApprovalRow['decision']> = {
    decision: 'approved',
    by: `rule:${ruleId}`,
    at: m.at,
    comment: '',
    rule: { ruleId, by, givenAt: createdAt },
  };
  m.ruleUses.push({ ruleId, runId: approval.runId, path, at: m.at });
  emit(m, 'approval.decided', path, { approval: { ...approval, status: 'approved', decision } });
  decideGate(m, step, decision, approval.show ?? null);
}
