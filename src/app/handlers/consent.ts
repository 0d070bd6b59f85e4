import { trial } from '../../engine/entries/file.ts';
import { hasErrors } from '../../engine/preflight/index.ts';
import type { App, Handlers } from '../app.ts';
import { accountsOf, consents, setConsent } from '../consent.ts';

/** What a person allowed to be sent to which model account. The surfaces ask before they start a run; the engine does not. */
export function consentHandlers(app: App): Pick<Handlers, 'consent.get' | 'consent.set'> {
  const { store, models, library, entries, registry, clock, updates } = app;
  return {
    async 'consent.get'({ workflowId, entry }) {
      const settings = await models.get();
      const all = await consents(store, settings);
      if (entry !== undefined) {
        const { definition } = entries.check(entry);
        const used = definition ? accountsOf(trial(definition), registry, settings) : [];
        return { consents: all.filter(({ account }) => used.includes(account)) };
      }
      if (workflowId === undefined) return { consents: all };
      const stored = await library.find(workflowId);
      // A draft with errors has no plan to look at, and cannot be started either.
      if (!stored || hasErrors(library.problems(stored.revision))) return { consents: [] };
      const wanted = accountsOf(library.linked(stored.revision.definition), registry, settings);
      return { consents: all.filter(({ account }) => wanted.includes(account)) };
    },
    async 'consent.set'({ account, given }) {
      const settings = await models.get();
      await setConsent(store, settings, account, given ? clock.now() : undefined);
      updates.push(['settings']);
      return { consents: await consents(store, settings) };
    },
  };
}
