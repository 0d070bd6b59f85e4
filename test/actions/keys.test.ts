import { describe, expect, it } from 'vitest';
import { charactersOf, keyOf, parseKey } from '../../src/actions/keys.ts';

const read = (text: string): string | undefined => {
  const chord = parseKey(text);
  return chord && [...chord.modifiers, `${chord.key.key}/${chord.key.code}/${chord.key.keyCode}`].join(' ');
};

describe('keys by name', () => {
  it.each([
    ['Enter', 'Enter/Enter/13'],
    ['escape', 'Escape/Escape/27'],
    ['Esc', 'Escape/Escape/27'],
    ['Space', ' /Space/32'],
    [' ', ' /Space/32'],
    ['a', 'a/KeyA/65'],
    ['A', 'A/KeyA/65'],
    ['F5', 'F5/F5/116'],
    ['Control+A', 'Control a/KeyA/65'],
    ['ctrl+shift+a', 'Control Shift A/KeyA/65'],
    ['Shift+Tab', 'Shift Tab/Tab/9'],
    ['Control+Shift+ArrowLeft', 'Control Shift ArrowLeft/ArrowLeft/37'],
    ['+', '+/Equal/187'],
    ['Control++', 'Control +/Equal/187'],
    ['Shift', 'Shift/ShiftLeft/16'],
    ['ü', 'ü//0'],
  ])('%s', (text, key) => {
    expect(read(text)).toBe(key);
  });

  it.each(['', 'Entre', 'ab', 'Control+', 'a+b', 'Enter+a', '+a', 'constructor'])('%j names none', (text) => {
    expect(parseKey(text)).toBeUndefined();
  });
});

it('a character has the key of a US keyboard that types it', () => {
  expect(keyOf('!')).toEqual({ key: '!', code: 'Digit1', keyCode: 49, text: '!' });
  expect(keyOf('?')).toEqual({ key: '?', code: 'Slash', keyCode: 191, text: '?' });
  expect(keyOf('\n')).toMatchObject({ key: 'Enter', keyCode: 13 });
});

it('a text is typed by what a person sees as characters, line ends alike', () => {
  expect(charactersOf('a\r\né👩‍👧')).toEqual(['a', '\n', 'é', '👩‍👧']);
});
