import { type Standing, type StandingRule, standingRuleSchema } from '../model/rules.ts';
import type { Store } from '../ports/store.ts';

/** Roles of a person who has set none (SPEC §1, *profile*). */
const DEFAULT_ROLES: readonly string[] = ['owner'];

/** The standing rules in force and the person's roles, in memory, so that deciding by them waits for nothing. */
export class StandingBook {
  private readonly store: Store;
  now: Standing = { rules: [], roles: DEFAULT_ROLES };

  constructor(store: Store) {
    this.store = store;
  }

  /** Reads both; called again when either was changed from outside. A row that is no rule is left out. */
  async load(): Promise<void> {
    const [rows, profile] = await Promise.all([this.store.rules(), this.store.setting('profile')]);
    const rules = rows.flatMap(({ uses: _, lastUsedAt: __, ...row }) => standingRuleSchema.safeParse(row).data ?? []);
    const given = profile?.roles;
    const roles = Array.isArray(given) ? given.filter((role) => typeof role === 'string') : DEFAULT_ROLES;
    this.now = { rules, roles };
  }

  /** Takes in rules whose commit is written. */
  add(rules: readonly StandingRule[]): void {
    this.now = { ...this.now, rules: [...rules, ...this.now.rules] };
  }

  /** Withdraws a rule: it decides nothing from this call on, whether or not the store has it removed already. */
  async withdraw(ruleId: string): Promise<void> {
    this.now = { ...this.now, rules: this.now.rules.filter((rule) => rule.ruleId !== ruleId) };
    await this.store.removeRule(ruleId);
  }
}
