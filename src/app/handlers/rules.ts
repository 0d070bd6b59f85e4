import type { App, Handlers } from '../app.ts';

/** The standing rules that the person gave with an approval, and taking them back. They are given by a `decide` command only. */
export function ruleHandlers({ engine, store, updates }: App): Pick<Handlers, 'rules.list' | 'rules.withdraw'> {
  return {
    'rules.list': async () => ({ rules: await store.rules() }),
    async 'rules.withdraw'({ ruleId }) {
      await engine.standing.withdraw(ruleId);
      updates.push(['settings']);
      return { rules: await store.rules() };
    },
  };
}
