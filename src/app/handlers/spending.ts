import { limitOf, monthOf } from '../../model/spending.ts';
import type { App, Handlers } from '../app.ts';
import { type Spending, spendingOf } from '../spending.ts';

type Names = Extract<keyof Handlers, `spending.${string}`>;

/** What models have cost, and what they may cost in a month. */
export function spendingHandlers({ store, engine, clock, updates }: App): Pick<Handlers, Names> {
  const get = async (): Promise<Spending> => spendingOf(await store.spending(), engine.months.budget, clock.now());
  return {
    'spending.get': get,
    async 'spending.set'({ usd }) {
      await engine.months.set(usd === null ? {} : { usd });
      updates.push(['settings']);
      return get();
    },
    async 'spending.raise'({ usd }) {
      const { budget } = engine.months;
      const month = monthOf(clock.now());
      const limit = limitOf(budget, month);
      if (limit === undefined)
        return { ok: false, code: 'not_waiting', message: 'There is no monthly budget: runs go on without one.' };
      if (usd <= limit)
        return { ok: false, code: 'form_invalid', message: `Name a limit above the present one, ${limit} USD.` };
      await engine.months.set({ ...budget, raised: { month, usd } });
      updates.push(['settings']);
      return { ok: true };
    },
  };
}
