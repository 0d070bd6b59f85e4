// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from 'vitest';
import { keyOf } from '../../src/actions/keys.ts';
import { chooseIn } from '../../src/actions/page/act/choose.ts';
import { checkDial } from '../../src/actions/page/act/dial.ts';
import { commitEdit, forgetEdit, noteEdit } from '../../src/actions/page/act/focus.ts';
import { byKeyInSelect, stepByKey } from '../../src/actions/page/act/stepping.ts';
import { submitFrom } from '../../src/actions/page/act/submit.ts';
import { fakePage, hear, put } from './page-env.ts';

beforeEach(fakePage);

const named = (key: string) => ({ key, code: key, keyCode: 0 });

describe('keys on fields that hold one of several values', () => {
  it('a number field is stepped, a slider goes to its ends, and each tells the page where it has changed', () => {
    const heard = hear('input', 'change');
    const press = (field: HTMLInputElement, keys: string[]): string[] =>
      keys.map((key) => `${stepByKey(field, key)} ${field.value}`);
    const amount = put<HTMLInputElement>('<input type="number" step="5" value="20">');
    expect(press(amount, ['ArrowUp', 'ArrowDown', 'Home', 'a'])).toEqual([
      'true 25',
      'true 20',
      'false 20',
      'false 20',
    ]);
    const slider = put<HTMLInputElement>('<input type="range" min="10" max="50" value="20">');
    expect(press(slider, ['Home', 'Home', 'End'])).toEqual(['true 10', 'true 10', 'true 50']);
    expect(heard).toHaveLength(8);
    slider.disabled = true;
    expect(press(slider, ['Home'])).toEqual(['false 50']);
  });

  it('a select field goes to the next option that can be chosen, to its ends, and to one by its letter', () => {
    const field = put<HTMLSelectElement>(
      '<select><option>Apple</option><option disabled>Apricot</option><option>Banana</option><option>Blueberry</option></select>',
    );
    const heard = hear('change');
    const value = (key: Parameters<typeof byKeyInSelect>[1]): string => {
      byKeyInSelect(field, key);
      return field.value;
    };
    expect(['ArrowDown', 'ArrowDown', 'ArrowDown', 'Home', 'End'].map((key) => value(named(key)))).toEqual([
      'Banana',
      'Blueberry',
      'Blueberry',
      'Apple',
      'Blueberry',
    ]);
    expect(['b', 'b', 'a', 'z'].map((letter) => value(keyOf(letter)))).toEqual([
      'Banana',
      'Blueberry',
      'Apple',
      'Apple',
    ]);
    expect(heard).toHaveLength(7);
  });
});

describe('select_option on a select field', () => {
  const html =
    '<select id="one"><option value="a">Alpha</option><option value="b">Beta  two</option><optgroup disabled><option>Gone</option></optgroup></select>';
  const choose = (field: Element, choice: Parameters<typeof chooseIn>[1]): Promise<string[]> =>
    chooseIn(field, choice, () => undefined);

  it('what is chosen already is no change, and not told', async () => {
    const field = put<HTMLSelectElement>(html);
    const heard = hear('input', 'change');
    for (const choice of [{ label: ' alpha' }, { value: 'a' }, { values: ['a'] }])
      expect(await choose(field, choice)).toEqual(['a']);
    expect(heard).toEqual([]);
  });

  it('what is not there is waited for and lists what is; what is disabled, too much, or no select field is refused', async () => {
    const field = put<HTMLSelectElement>(html);
    await expect(choose(field, { value: 'Alpha' })).rejects.toMatchObject({
      wait: true,
      info: { code: 'element_not_found', details: { options: ['Alpha (a)', 'Beta  two (b)', 'Gone'] } },
    });
    for (const [at, choice, reason] of [
      [field, { label: 'Gone' }, 'disabled'],
      [field, { values: ['a', 'b'] }, 'not multiple'],
      [document.body, { value: 'a' }, 'no select field'],
    ] as const)
      await expect(choose(at, choice as never)).rejects.toMatchObject({ info: { details: { reason } } });
    expect(field.value).toBe('a');
  });
});

describe('Enter in a field', () => {
  const sent = (html: string): string[] => {
    const field = put<HTMLInputElement>(html, '#from');
    const heard = hear('change', 'click', 'submit');
    document.addEventListener('submit', (event) => event.preventDefault());
    noteEdit(field);
    field.value = 'typed';
    submitFrom(field);
    return heard;
  };

  it('tells of the change, and presses the first button that sends; one that is disabled sends nothing', () => {
    expect(
      sent('<form id="form"><input id="from"><button type="button">No</button><button id="go">Go</button></form>'),
    ).toEqual(['change from', 'click go', 'submit form']);
    expect(sent('<form id="form"><input id="from"><button disabled>Go</button></form>')).toEqual(['change from']);
    expect(sent('<form id="form"><input id="from"></form><button form="form" id="out">Go</button>')[1]).toBe(
      'click out',
    );
  });

  it('without a button a form of one field is sent, one of several is not, and no form is fine', () => {
    expect(sent('<form id="form"><input id="from"><input type="checkbox"></form>')).toEqual([
      'change from',
      'submit form',
    ]);
    expect(sent('<form id="form"><input id="from"><input></form>')).toEqual(['change from']);
    expect(sent('<input id="from">')).toEqual(['change from']);
  });
});

it('a field that was typed into is told as changed once, when it is left, unless it was told already or holds what it held', () => {
  const field = put<HTMLInputElement>('<input id="field" value="old">');
  const heard = hear('change');
  noteEdit(field);
  field.value = 'new';
  commitEdit(field);
  commitEdit(field);
  expect(heard).toEqual(['change field']);
  noteEdit(field);
  field.value = 'newer';
  forgetEdit(field);
  commitEdit(field);
  noteEdit(field);
  commitEdit(field);
  expect(heard).toEqual(['change field']);
});

it('a dial is given what it can show, and says so', () => {
  const dial = put('<div role="slider" aria-valuenow="3" aria-valuemin="0" aria-valuemax="20"></div>');
  for (const fits of ['0', '20', '7.5']) expect(() => checkDial(dial, fits)).not.toThrow();
  for (const not of ['21', '-1', 'much', '']) expect(() => checkDial(dial, not)).toThrow('a number from 0 to 20');
  expect(() => checkDial(put('<div role="slider"></div>'), 'anything')).not.toThrow();
});
