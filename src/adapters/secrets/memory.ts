import type { SecretVault } from '../../ports/index.ts';

/** Secrets in memory, for runs outside a browser; they end with the process. */
export function createMemorySecretVault(initial: Readonly<Record<string, string>> = {}): SecretVault {
  const values = new Map(Object.entries(initial));
  return {
    names: async () => [...values.keys()].sort(),
    set: async (name, value) => void values.set(name, value),
    reveal: async (name) => values.get(name),
    remove: async (name) => void values.delete(name),
  };
}
