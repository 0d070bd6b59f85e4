import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { acceptConflicts, mergeModels } from '../../src/model/merge-models.ts';
import type { ModelAccount, ModelSettings } from '../../src/model/model-settings.ts';

const BASE: ModelSettings = {
  accounts: [
    { id: 'a', provider: 'openai', hasKey: false },
    { id: 'b', provider: 'anthropic', hasKey: false },
  ],
  names: { fast: 'a:small', best: 'b:large' },
  default: 'fast',
};

describe('two windows change the model settings', () => {
  it('in different parts: both changes are there', () => {
    const mine = { ...BASE, names: { ...BASE.names, fast: 'a:mini' }, accounts: BASE.accounts.slice(0, 1) };
    const theirs: ModelSettings = {
      ...BASE,
      default: 'best',
      prices: { 'a:small': { input: 1, output: 2 } },
      accounts: [...BASE.accounts, { id: 'c', provider: 'google', hasKey: true }],
    };
    expect(mergeModels(BASE, mine, theirs)).toEqual({
      settings: {
        accounts: [BASE.accounts[0], { id: 'c', provider: 'google', hasKey: false }],
        names: { fast: 'a:mini', best: 'b:large' },
        default: 'best',
        prices: { 'a:small': { input: 1, output: 2 } },
      },
      conflicts: [],
    });
  });

  it('how an account is spoken to is part of it', () => {
    const [first, second] = BASE.accounts as [ModelAccount, ModelAccount];
    const mine = { ...BASE, accounts: [{ ...first, api: 'responses' as const, stream: false }, second] };
    expect(mergeModels(BASE, mine, { ...BASE, default: 'best' })).toEqual({
      settings: { ...mine, default: 'best' },
      conflicts: [],
    });
    const theirs = { ...BASE, accounts: [{ ...first, stream: true }, second] };
    expect(mergeModels(BASE, mine, theirs).conflicts).toEqual([
      { part: 'account', key: 'a', mine: 'openai responses stream: false', theirs: 'openai stream: true' },
    ]);
  });

  it('the same part in the same way: no conflict; in different ways, or one removes it: a conflict that shows both', () => {
    const mine = { ...BASE, names: { fast: 'a:mini' }, default: 'best' };
    const theirs = { ...BASE, names: { fast: 'a:nano', best: 'b:huge' }, default: 'best' };
    const { settings, conflicts } = mergeModels(BASE, mine, theirs);
    expect(settings).toEqual(theirs);
    expect(conflicts).toEqual([
      { part: 'name', key: 'fast', mine: 'a:mini', theirs: 'a:nano' },
      { part: 'name', key: 'best', theirs: 'b:huge' },
    ]);
  });

  it('a conflict is seen and mine is saved all the same: that part becomes mine, what else the other has changed stays', () => {
    const mine = { ...BASE, names: { ...BASE.names, fast: 'a:mini' } };
    const theirs = { ...BASE, names: { fast: 'a:nano', best: 'b:huge' } };
    const { conflicts } = mergeModels(BASE, mine, theirs);
    const again = mergeModels(acceptConflicts(BASE, theirs, conflicts), mine, theirs);
    expect(again).toMatchObject({ settings: { names: { fast: 'a:mini', best: 'b:huge' } }, conflicts: [] });
  });

  it('whatever two windows do: nothing that only one has changed is lost, and what both changed alike or not at all is no conflict', () => {
    const names = fc.dictionary(fc.constantFrom('x', 'y', 'z'), fc.constantFrom('a:1', 'a:2', 'b:1'), { maxKeys: 3 });
    const of = (each: Record<string, string>): ModelSettings => ({ accounts: [], names: each });
    fc.assert(
      fc.property(names, names, names, (base, mine, theirs) => {
        const { settings, conflicts } = mergeModels(of(base), of(mine), of(theirs));
        for (const key of ['x', 'y', 'z']) {
          const clash = conflicts.some((one) => one.key === key);
          expect(clash).toBe(mine[key] !== base[key] && theirs[key] !== base[key] && mine[key] !== theirs[key]);
          const wanted = clash || mine[key] === base[key] ? theirs[key] : mine[key];
          expect(settings.names[key]).toBe(wanted);
        }
        expect(mergeModels(of(base), of(mine), of(base)).settings.names).toEqual({ ...mine });
      }),
      { seed: 7 },
    );
  });
});
