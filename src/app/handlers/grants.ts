import type { App, Handlers } from '../app.ts';

/** What is granted and what is not. Asking the person is the pages' part: it needs a click. */
export function grantHandlers({ grants }: App): Pick<Handlers, 'grants.missing' | 'grants.list'> {
  return {
    'grants.missing': async ({ sites }) => ({ origins: await grants.missing(sites) }),
    'grants.list': async () => ({ origins: await grants.list() }),
  };
}
