import type { App, Handlers } from '../app.ts';

/** Names of secrets go out, values only come in. Keys of models are among them, as `model:<account>`. */
export function secretHandlers({ vault, updates }: App): Pick<Handlers, 'secrets.list' | 'secrets.set'> {
  return {
    'secrets.list': async () => ({ names: await vault.names() }),
    async 'secrets.set'({ name, value }) {
      if (value === null) await vault.remove(name);
      else await vault.set(name, value);
      updates.push(['settings']);
      return { names: await vault.names() };
    },
  };
}
