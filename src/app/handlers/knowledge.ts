import { readOpenPage } from '../../adapters/browser/index.ts';
import type { App, Handlers } from '../app.ts';
import { pageUnreadable } from '../knowledge.ts';

type Names = Extract<keyof Handlers, `knowledge.${string}`>;

/** The knowledge base, for the person who keeps it. */
export function knowledgeHandlers({ knowledge, browser, clock }: App): Pick<Handlers, Names> {
  return {
    'knowledge.list': () => knowledge.list(),
    'knowledge.search': (asked) => knowledge.search(asked),
    'knowledge.get': (asked) => knowledge.get(asked),
    'knowledge.add': ({ documents, secrets }) => knowledge.add(documents, secrets),
    'knowledge.remove': async ({ documentId }) => ({ removed: await knowledge.remove(documentId) }),
    'knowledge.restore': async ({ documentId, revision }) => ({
      restored: await knowledge.restore(documentId, revision),
    }),
    /** @throws TabloomError `permission_denied` where the page may not be read, or why it could not be */
    async 'knowledge.page'({ tabId }) {
      const { url } = await browser.tabs.get(tabId).catch(() => ({ url: undefined }));
      if (url === undefined || !/^https?:/.test(url)) throw pageUnreadable();
      return readOpenPage(browser, clock, tabId, url);
    },
  };
}
