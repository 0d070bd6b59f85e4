import type { Server } from '@modelcontextprotocol/server';
import type { FrontSession } from './session.ts';

/**
 * Tells a client of what has changed: the list of tools, that of resources, resources that it has subscribed to.
 * @param era in the newer one the SDK knows what the client listens to; in the older one we do
 * @param tools the list of tools as text: one that is the same is not told of
 */
export function tellChanges(
  server: Server,
  session: FrontSession,
  era: 'legacy' | 'modern',
  tools: () => Promise<string>,
): { subscribe(uri: string): void; unsubscribe(uri: string): void; listed(tools: string): void } {
  const subscribed = new Set<string>();
  let known: string | undefined;
  const failed = () => undefined;
  const stop = session.onChange((what) => {
    if (what.includes('tools')) {
      tools()
        .then((now) => {
          const same = known === now;
          // One that has never asked for the list has nothing that is out of date.
          if (same || known === undefined) return;
          known = now;
          return server.sendToolListChanged();
        })
        .catch(failed);
    }
    if (what.includes('resources')) server.sendResourceListChanged().catch(failed);
    for (const uri of what)
      if (uri.includes('://') && (era === 'modern' || subscribed.has(uri)))
        server.sendResourceUpdated({ uri }).catch(failed);
  });
  const closed = server.onclose;
  server.onclose = () => {
    stop();
    closed?.();
  };
  return {
    subscribe: (uri) => void subscribed.add(uri),
    unsubscribe: (uri) => void subscribed.delete(uri),
    listed(now) {
      known = now;
    },
  };
}
