import { expect, it } from 'vitest';
import { Leases } from '../../../src/adapters/browser/leases.ts';
import type { RunTabs } from '../../../src/model/run.ts';

const tabs = (...ids: number[]): RunTabs => ({
  list: ids.map((id, n) => ({
    tab: `t${n + 1}`,
    browserTabId: id,
    session: 's',
    url: 'https://a.example/',
    title: '',
  })),
  next: ids.length + 1,
});

it('a tab that is passed to a called run is that run’s until it lets go, and then the caller’s again', () => {
  const leases = new Leases();
  const changes: [number[], number[]][] = [];
  leases.onChange = (taken, dropped) => changes.push([taken, dropped]);
  leases.takeAll('outer', tabs(1, 2), 's');
  leases.takeAll('inner', tabs(1), 's', 'outer');
  leases.takeAll('deep', tabs(1), 's', 'inner');
  expect([leases.owner(1), leases.owner(2)]).toEqual(['deep', 'outer']);
  expect(() => leases.take('outer', 1)).toThrow(/other run/);
  leases.dropAll('deep');
  expect(leases.owner(1)).toBe('inner');
  leases.dropAll('inner');
  expect(leases.owner(1)).toBe('outer');
  leases.take('outer', 1);
  leases.dropAll('outer');
  expect(leases.tabs).toEqual([]);
  expect(changes).toEqual([
    [[1, 2], []],
    [[], [1, 2]],
  ]);
});

it('a caller that has ended does not get its tab back; one of another run is not taken', () => {
  const leases = new Leases();
  leases.takeAll('outer', tabs(1), 's');
  leases.takeAll('other', tabs(1), 's');
  leases.takeAll('stranger', tabs(1), 's', 'somebody');
  expect(leases.owner(1)).toBe('outer');
  leases.takeAll('inner', tabs(1), 's', 'outer');
  leases.dropAll('outer');
  expect(leases.owner(1)).toBe('inner');
  leases.dropAll('inner');
  expect(leases.tabs).toEqual([]);
});

it('a tab that is closed while it is passed on is nobody’s', () => {
  const leases = new Leases();
  leases.takeAll('outer', tabs(1), 's');
  leases.takeAll('inner', tabs(1), 's', 'outer');
  leases.drop(1);
  leases.dropAll('inner');
  expect(leases.owner(1)).toBeUndefined();
});

it('a tab that the browser has put another one in the place of: that one is the run’s, and its lender’s after it', () => {
  const leases = new Leases();
  leases.takeAll('outer', tabs(1), 's');
  leases.takeAll('inner', tabs(1), 's', 'outer');
  leases.replace(9, 1);
  leases.replace(8, 2);
  expect([leases.owner(1), leases.owner(9), leases.owner(8)]).toEqual([undefined, 'inner', undefined]);
  leases.dropAll('inner');
  expect(leases.owner(9)).toBe('outer');
});
