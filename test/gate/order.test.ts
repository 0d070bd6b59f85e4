import { describe, expect, it } from 'vitest';
import { groups } from './groups.ts';
import { inTurn } from './order.ts';

const turns = (all: { name: string; beside?: string }[]) => inTurn(all).map((turn) => turn.map(({ name }) => name));

describe('the gate runs its groups', () => {
  it('one after the other, but those together that may be', () => {
    expect(turns([{ name: 'a' }, { name: 'b' }, { name: 'c', beside: 'b' }, { name: 'd' }])).toEqual([
      ['a'],
      ['b', 'c'],
      ['d'],
    ]);
  });

  it('each exactly once, also one whose neighbour is left out', () => {
    expect(turns([{ name: 'a' }, { name: 'c', beside: 'b' }])).toEqual([['a'], ['c']]);
    const all = inTurn(groups).flat();
    expect([...all].sort((one, other) => one.name.localeCompare(other.name))).toEqual(
      [...groups].sort((one, other) => one.name.localeCompare(other.name)),
    );
  });

  it('no group beside one that it needs', () => {
    for (const { name, needs, beside } of groups) expect(needs === undefined || needs !== beside, name).toBe(true);
  });
});
