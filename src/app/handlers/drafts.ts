import type { App, Handlers } from '../app.ts';

/** Texts that are being typed. */
export function draftHandlers({ drafts }: App): Pick<Handlers, 'draft.get' | 'draft.set'> {
  return {
    'draft.get': async ({ key }) => ({ text: await drafts.get(key) }),
    async 'draft.set'({ key, text, ...writing }) {
      const theirs = await drafts.set(key, text, writing);
      return theirs === undefined ? { saved: true } : { saved: false, theirs };
    },
  };
}
