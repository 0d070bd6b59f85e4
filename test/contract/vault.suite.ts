import type { SecretVault } from '../../src/ports/index.ts';
import type { ContractCase } from './check.ts';
import { equal } from './check.ts';

export interface VaultUnderTest {
  vault: SecretVault;
  dispose: () => PromiseLike<unknown>;
}

type VaultCase = [name: string, body: (vault: SecretVault) => Promise<void>];

const CASES: VaultCase[] = [
  [
    'a secret that is set: its name is listed, its value revealed to the letter',
    async (vault) => {
      const value = 'pä$$ 🔑 \u0000 "quoted" '.repeat(50);
      await vault.set('crm-key', value);
      await vault.set('api key/ü', '');
      equal(await vault.names(), ['api key/ü', 'crm-key'], 'names, sorted');
      equal(await vault.reveal('crm-key'), value, 'value');
      equal(await vault.reveal('api key/ü'), '', 'empty value');
    },
  ],
  [
    'a secret that is set again: the new value',
    async (vault) => {
      await vault.set('k', 'old');
      await vault.set('k', 'new');
      equal(await vault.reveal('k'), 'new', 'value');
      equal(await vault.names(), ['k'], 'names');
    },
  ],
  [
    'a secret that is not there, or was removed: undefined',
    async (vault) => {
      equal(await vault.reveal('none'), undefined, 'never set');
      await vault.set('k', 'v');
      await vault.remove('k');
      await vault.remove('none');
      equal(await vault.reveal('k'), undefined, 'removed');
      equal(await vault.names(), [], 'names');
    },
  ],
  [
    'names of inherited properties: ordinary names',
    async (vault) => {
      equal(await vault.reveal('constructor'), undefined, 'not set');
      await vault.set('__proto__', 'v');
      equal(await vault.reveal('__proto__'), 'v', 'set');
    },
  ],
  [
    'many secrets set at once on an empty vault: one key opens them all',
    async (vault) => {
      const names = Array.from({ length: 20 }, (_, i) => `k${String(i).padStart(2, '0')}`);
      await Promise.all(names.map((name) => vault.set(name, `value of ${name}`)));
      equal(
        await Promise.all(names.map((name) => vault.reveal(name))),
        names.map((name) => `value of ${name}`),
        'values',
      );
    },
  ],
];

/** What every `SecretVault` must do, as named cases that need no test runner. */
export function vaultContract(name: string, make: () => Promise<VaultUnderTest>): ContractCase[] {
  return CASES.map(([title, body]) => ({
    name: `${name}: ${title}`,
    async run() {
      const { vault, dispose } = await make();
      try {
        await body(vault);
      } finally {
        await dispose();
      }
    },
  }));
}
