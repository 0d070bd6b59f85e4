// @vitest-environment happy-dom
import { beforeEach, expect, it, vi } from 'vitest';
import { chooseInAria } from '../../src/actions/page/act/listbox.ts';
import { labelsOf } from '../../src/actions/page/name.ts';
import { roleOf } from '../../src/actions/page/role.ts';
import { shownValue } from '../../src/actions/page/snapshot/states.ts';
import { fakePage, put } from './page-env.ts';

beforeEach(fakePage);

it('roles: as browsers tell them where the standard names none, and those of an author where they are any', () => {
  const roles = (html: string): string[] => {
    put(html);
    return [...document.body.children].map(roleOf);
  };
  expect(roles('<input><input type="file"><input type="search"><input list="x"><input type="hidden">')).toEqual([
    'textbox',
    'button',
    'searchbox',
    'combobox',
    '',
  ]);
  expect(roles('<div role="nonsense  TAB"></div><div role="image"></div><div role="nonsense"></div>')).toEqual([
    'tab',
    'img',
    '',
  ]);
  expect(roles('<strong>a</strong><em>b</em><del>c</del><i>d</i><i role="emphasis">e</i>')).toEqual([
    'strong',
    'emphasis',
    'deletion',
    '',
    'emphasis',
  ]);
  expect(roles('<ul role="none"></ul><button role="none"></button><img alt=""><img alt="Cat">')).toEqual([
    '',
    'button',
    '',
    'img',
  ]);
});

it('a file field tells the names of its files', () => {
  const field = put<HTMLInputElement>('<input type="file" multiple>');
  expect(shownValue(field, 'button')).toBe('');
  const files = [new File(['a'], 'one.csv'), new File(['b'], 'two.txt')];
  Object.defineProperty(field, 'files', { value: files });
  expect(shownValue(field, 'button')).toBe('one.csv, two.txt');
});

it('labels: by reference, of its own, around it; without what the control itself holds', () => {
  put(
    '<b id="a">First</b><b id="b">Last</b><label>Kind <select aria-labelledby="a b gone" aria-label="Own"><option>x</option></select> of</label>',
  );
  expect(labelsOf(document.querySelector('select') as Element)).toEqual(['First Last', 'Own', 'Kind of']);
});

it('what has left the page has no label by reference, and opens no list', async () => {
  put('<b id="a">Name</b><ul id="list" role="listbox"><li role="option">One</li></ul>');
  const gone = document.createElement('div');
  gone.innerHTML = '<div role="combobox" aria-labelledby="a" aria-controls="list"></div>';
  const box = gone.firstElementChild as HTMLElement;
  expect(labelsOf(box)).toEqual([]);
  const begin = vi.fn();
  await expect(chooseInAria(box, { label: 'Two' }, begin)).rejects.toMatchObject({
    info: { code: expect.stringMatching(/^element_not_(found|actionable)$/) },
  });
});
