import { expect, it } from 'vitest';
import { checkFilled, clearFilled, loseFilled, markFilled } from '../../../src/adapters/browser/filled.ts';
import type { RunTab, RunTabs } from '../../../src/model/run.ts';

const tabs: RunTabs = {
  list: ['t1', 't2'].map((tab, i) => ({
    tab,
    browserTabId: i + 7,
    session: 's',
    url: 'https://a.example/',
    title: '',
  })),
  next: 3,
  current: 't1',
};
const first = (of: RunTabs) => of.list[0] as RunTab;
const tabLost = expect.objectContaining({ code: 'tab_lost' });

it('a page that was filled in is opened again: what must not be done twice is refused, also after another field is filled in', () => {
  const lost = loseFilled(markFilled(tabs, 't1'), 't1');
  expect(() => checkFilled(first(lost))).toThrowError(tabLost);
  expect(() => checkFilled(first(markFilled(lost, 't1')))).toThrowError(tabLost);
  expect(lost.list[1]).toEqual(tabs.list[1]);
});

it('another page in the tab: nothing is left of it', () => {
  expect(clearFilled(loseFilled(markFilled(tabs, 't1'), 't1'), 't1')).toEqual(tabs);
});

it('a page that was only read is opened again: nothing was lost with it', () => {
  expect(loseFilled(tabs, 't1')).toEqual(tabs);
  checkFilled(first(loseFilled(tabs, 't1')));
  checkFilled(first(markFilled(tabs, 't1')));
});
