import type { App, Handlers } from '../app.ts';

/** Model accounts and names. Keys come in and never go out. */
export function modelHandlers({ models, updates }: App): Pick<Handlers, 'models.get' | 'models.set' | 'models.test'> {
  return {
    'models.get': () => models.get(),
    async 'models.set'({ settings, apiKey, account, base }) {
      const conflicts = await models.set(settings, apiKey, account, base);
      if (conflicts.length > 0) return { saved: false, conflicts };
      updates.push(['settings']);
      return { saved: true };
    },
    'models.test': ({ name }) => models.test(name),
  };
}
