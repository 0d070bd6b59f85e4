import type { App, Handlers } from '../app.ts';
import { notificationIdOf } from '../outbox.ts';

/** What runs have told the person. */
export function outboxHandlers({ store, updates, browser }: App): Pick<Handlers, 'outbox.list' | 'outbox.dismiss'> {
  return {
    'outbox.list': async () => ({ entries: await store.outbox() }),
    async 'outbox.dismiss'({ outboxId }) {
      const entry = (await store.outbox()).find((one) => one.outboxId === outboxId);
      await store.removeOutbox(outboxId);
      if (entry) await browser.notifications.clear(notificationIdOf(entry)).catch(() => undefined);
      updates.push(['runs']);
      return { entries: await store.outbox() };
    },
  };
}
