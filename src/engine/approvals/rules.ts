import { hashJson } from '../../model/canonical.ts';
import { isObject, type Json } from '../../model/json.ts';
import { RULE_DAYS, type RuleAct, type Standing, type StandingRule } from '../../model/rules.ts';
import type { ApprovalRow, CoveredAct } from '../../model/run.ts';
import type { Plan, PlanStep } from '../plan.ts';

const DAY_MS = 86_400_000;

function originOf(url: unknown): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined;
  const { origin } = new URL(url);
  return origin === 'null' ? undefined : origin;
}

/** The sites that an act touches: the one it is done on, and the one that it leads to. */
function originsOf(act: CoveredAct): string[] {
  const leadsTo = isObject(act.arguments) ? originOf(act.arguments.url) : undefined;
  return [...new Set([act.origin, leadsTo].filter((origin) => origin !== undefined))];
}

/** Whether an act can be named well enough for a rule: where it changes anything, it is known on which site. */
function nameable(plan: Plan, act: CoveredAct): boolean {
  const step = plan.steps.get(act.stepId);
  // What a workflow does that is called is not known here.
  if (step?.type.child) return false;
  const effect = step?.effect;
  return originsOf(act).length > 0 || effect === 'pure' || effect === 'read' || effect === 'none';
}

/**
 * The sites that an *always* would hold for, or undefined where none may be given: only for a gate that can be undone, as a whole as it was
 * asked, and that names what it covers.
 */
export function standingSites(
  plan: Plan,
  approval: Pick<ApprovalRow, 'risk' | 'covers' | 'replaces'>,
): { origins: string[] } | undefined {
  const { risk, covers, replaces } = approval;
  if (risk !== 'reversible' || replaces || covers.length === 0) return undefined;
  if (!covers.every((act) => nameable(plan, act))) return undefined;
  const origins = [...new Set(covers.flatMap(originsOf))].sort();
  return origins.length > 0 ? { origins } : undefined;
}

/**
 * Hash of all that a gate asks by definition: the gate itself, each step that it covers or what holds that step, and the recipes they name.
 * Where any of it is written differently, a rule given before says nothing.
 */
export function ruleScope(plan: Plan, gate: PlanStep): string {
  const { recipes } = plan.workflow;
  const covered = (gate.def.covers as string[]).map((id) => {
    let step = plan.steps.get(id) as PlanStep;
    const named = typeof step.def.recipe === 'string' ? recipes?.[step.def.recipe] : undefined;
    while (step.list !== gate.list) step = step.list.owner as PlanStep;
    return { def: step.def, recipe: named ?? null };
  });
  return hashJson({ gate: gate.def, covered } as unknown as Json);
}

/** The rule that a person gives with a yes to an approval. */
export function makeRule(plan: Plan, gate: PlanStep, approval: ApprovalRow, by: string, at: number): StandingRule {
  const acts = new Map<string, RuleAct>();
  for (const act of approval.covers) {
    const { stepId, name, type, action } = act;
    const known = acts.get(stepId);
    const origins = [...new Set([...(known?.origins ?? []), ...originsOf(act)])].sort();
    acts.set(stepId, { stepId, name, type, ...(action !== undefined && { action }), origins });
  }
  return {
    ruleId: hashJson({ rule: approval.hash, at }).slice(0, 16),
    workflowId: approval.workflowId,
    workflowName: approval.workflowName,
    stepId: gate.id,
    stepName: gate.def.name ?? gate.id,
    scope: ruleScope(plan, gate),
    acts: [...acts.values()],
    requiredRole: approval.requiredRole,
    by,
    createdAt: at,
    expiresAt: at + RULE_DAYS * DAY_MS,
  };
}

/**
 * The rule that answers an approval, or undefined. Nothing is taken from the rule on trust: whatever a row says, one for an approval of
 * another risk, another definition, another act or another site does not match, nor does one whose person lacks the role by now.
 */
export function ruleFor(
  { rules, roles }: Standing,
  plan: Plan,
  gate: PlanStep,
  approval: ApprovalRow,
  at: number,
): StandingRule | undefined {
  if (rules.length === 0 || !standingSites(plan, approval) || !roles.includes(approval.requiredRole)) return undefined;
  const fits = (rule: StandingRule): boolean =>
    rule.workflowId === approval.workflowId &&
    rule.stepId === gate.id &&
    rule.requiredRole === approval.requiredRole &&
    at >= rule.createdAt &&
    at < rule.expiresAt &&
    approval.covers.every((act) => rule.acts.some((allowed) => allows(allowed, act)));
  const candidates = rules.filter(fits);
  if (candidates.length === 0) return undefined;
  const scope = ruleScope(plan, gate);
  return candidates.find((rule) => rule.scope === scope);
}

function allows(allowed: RuleAct, act: CoveredAct): boolean {
  return (
    allowed.stepId === act.stepId &&
    allowed.type === act.type &&
    allowed.action === act.action &&
    originsOf(act).every((origin) => allowed.origins.includes(origin))
  );
}
