import type { App, Handlers } from '../app.ts';

type Names = 'bridge.get' | 'bridge.pair' | 'bridge.rename' | 'bridge.unpair';

/** The link to the MCP bridge, as Settings shows and makes it. */
export function bridgeHandlers({ bridge }: App): Pick<Handlers, Names> {
  return {
    'bridge.get': async () => bridge.state,
    'bridge.pair': ({ code, label }) => bridge.pair(code, label),
    'bridge.rename': ({ label }) => bridge.rename(label),
    'bridge.unpair': () => bridge.unpair(),
  };
}
