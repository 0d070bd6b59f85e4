import { expect, it } from 'vitest';
import {
  checkFilled,
  clearFilled,
  fieldsToRestore,
  loseFilled,
  markActed,
  markFilled,
  markRestored,
  notePage,
  rememberField,
} from '../../../src/adapters/browser/filled.ts';
import type { FieldAct, RunTab, RunTabs } from '../../../src/model/run.ts';

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

const act = (value: string): FieldAct => ({
  action: 'fill',
  arguments: { target: { label: 'Why' }, value },
  origin: 'https://a.example',
});
const set = (of: RunTabs, value: string) => rememberField(markFilled(of, 't1'), 't1', act(value));
const moved = (of: RunTabs, url: string): RunTabs => ({
  ...of,
  list: of.list.map((tab) => (tab.tab === 't1' ? { ...tab, url } : tab)),
});
const reasonOf = (of: RunTabs): unknown => {
  try {
    return fieldsToRestore(first(of)).map(({ arguments: { value } }) => value);
  } catch (error) {
    return (error as { info: { details: { reason: string } } }).info.details.reason;
  }
};

it('what was put into fields is remembered in order; the same again only once', () => {
  const filled = set(set(set(set(tabs, 'a'), 'b'), 'b'), 'a');
  expect(reasonOf(loseFilled(filled, 't1'))).toEqual(['a', 'b', 'a']);
  expect(filled.list[1]).toEqual(tabs.list[1]);
  checkFilled(first(markRestored(loseFilled(filled, 't1'), 't1', 'm')));
});

it('a field that could not be changed: there is nothing to put there again', () => {
  expect(reasonOf(loseFilled(markFilled(tabs, 't1'), 't1'))).toEqual([]);
});

it('an act that must not be done twice, before or after: filling in again does not bring the page back', () => {
  expect(reasonOf(markActed(set(tabs, 'a'), 't1'))).toBe('acted');
  expect(reasonOf(set(markActed(tabs, 't1'), 'a'))).toBe('acted');
  expect(first(markActed(set(tabs, 'a'), 't1')).fields).toBeUndefined();
});

it('it was clicked only, and a read opened it again: the page is as good as new', () => {
  expect(loseFilled(markActed(tabs, 't1'), 't1')).toEqual(tabs);
});

it('the page moved on within itself, between two fields or after them', () => {
  const there = 'https://a.example/?step=2';
  expect(reasonOf(moved(set(tabs, 'a'), there))).toBe('acted');
  expect(reasonOf(loseFilled(moved(set(tabs, 'a'), there), 't1'))).toBe('acted');
  expect(reasonOf(set(moved(set(tabs, 'a'), there), 'b'))).toBe('acted');
});

it('too many fields, or too much in them', () => {
  let many = tabs;
  for (let i = 0; i < 101; i++) many = set(many, String(i));
  expect(reasonOf(many)).toBe('too_much');
  expect(reasonOf(set(tabs, 'x'.repeat(40_000)))).toBe('too_much');
});

it('what was kept without the secret in it is not put there', () => {
  expect(reasonOf(set(tabs, 'my ••••'))).toBe('masked');
  expect(reasonOf(set(tabs, 'my [redacted:password]'))).toBe('masked');
});

it('kept by a version that did not remember fields: not known', () => {
  const { fields: _, ...old } = first(markFilled(tabs, 't1'));
  expect(reasonOf({ ...tabs, list: [old] })).toBe('unknown');
});

it('another document in the tab: what was filled in has gone where the site wanted it; a closed one says nothing', () => {
  const here = notePage(set(tabs, 'a'), 't1', 'one');
  expect(notePage(here, 't1', 'one')).toEqual(here);
  expect(notePage(here, 't1', undefined)).toEqual(here);
  expect(notePage(here, 't1', 'closed to us')).toEqual(here);
  expect(notePage(here, 't1', 'two')).toEqual(notePage(tabs, 't1', 'two'));
  // What was lost stays lost, whatever opens instead.
  const lost = loseFilled(here, 't1');
  expect(() => checkFilled(first(notePage(notePage(lost, 't1', 'three'), 't1', 'four')))).toThrowError(tabLost);
});
