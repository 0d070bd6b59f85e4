import { z } from './zod.ts';

/** Days for which a person's *always* holds unless it is withdrawn before. */
export const RULE_DAYS = 30;

/** One kind of act that a standing rule allows, by the step that does it. Names are the definition's: nothing of a page is in a rule. */
const ruleActSchema = z.strictObject({
  stepId: z.string(),
  name: z.string(),
  type: z.string(),
  action: z.string().optional(),
  /** Where it may be done. Empty only for what touches no page. */
  origins: z.array(z.string()),
});

/** What is stored of a standing rule; also how rows are checked when they are read. */
export const standingRuleSchema = z.strictObject({
  ruleId: z.string().min(1),
  workflowId: z.string(),
  workflowName: z.string(),
  /** The gate that it answers, and that gate's name. */
  stepId: z.string(),
  stepName: z.string(),
  /** Hash of the definitions of the gate and of what it covers: changed ones are another question. */
  scope: z.string(),
  acts: z.array(ruleActSchema).min(1),
  requiredRole: z.string(),
  /** Who gave it, in whose name it decides. */
  by: z.string(),
  /** Epoch milliseconds. */
  createdAt: z.number(),
  expiresAt: z.number(),
});

export type RuleAct = z.infer<typeof ruleActSchema>;

/**
 * A person's *always* for one approval of one workflow (SPEC §6): decides in that person's name where the same is asked again, on the same
 * sites. Never for what cannot be undone, spends money or sends a message.
 */
export type StandingRule = z.infer<typeof standingRuleSchema>;

/** One decision that a rule took. */
export interface RuleUse {
  ruleId: string;
  runId: string;
  path: string;
  at: number;
}

/** A rule as it is listed: with how often and when last it decided. */
export type ListedRule = StandingRule & { uses: number; lastUsedAt?: number };

/** What decides in a person's name at the moment: the rules in force, and the roles that the person has now. */
export interface Standing {
  rules: readonly StandingRule[];
  roles: readonly string[];
}

export const NO_STANDING: Standing = { rules: [], roles: [] };
