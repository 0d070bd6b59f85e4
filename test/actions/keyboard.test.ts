// @vitest-environment happy-dom
import { beforeEach, expect, it } from 'vitest';
import { type Chord, parseKey } from '../../src/actions/keys.ts';
import { pressChord, typeCharacter } from '../../src/actions/page/act/keyboard.ts';
import { env } from '../../src/actions/page/env.ts';
import { fakePage, hear, put } from './page-env.ts';

beforeEach(fakePage);

it('an editor draws between two keys, a field need not', async () => {
  const region = put('<div id="region" tabindex="0"></div>');
  Object.defineProperty(region, 'isContentEditable', { value: true });
  region.focus();
  const heard = hear('keydown');
  const { frame } = env();
  env().frame = () => {
    heard.push('frame');
    return frame();
  };
  // The page does with them what it likes.
  region.addEventListener('keydown', (event) => event.preventDefault());
  for (const character of 'ab') await typeCharacter(character);
  expect(heard).toEqual(['keydown region', 'frame', 'keydown region', 'frame']);
  const field = put<HTMLInputElement>('<input id="field">');
  field.focus();
  heard.length = 0;
  field.addEventListener('keydown', (event) => event.preventDefault());
  for (const character of 'ab') await typeCharacter(character);
  expect(heard).toEqual(['keydown field', 'keydown field']);
});

it('keys that are held are let go in the end, whatever comes of it', async () => {
  put<HTMLInputElement>('<input id="field">').focus();
  const heard: string[] = [];
  for (const type of ['keydown', 'keyup'] as const)
    document.addEventListener(type, ({ key, ctrlKey }) => heard.push(`${type} ${key} ${ctrlKey}`));
  // Nothing was copied in this page.
  await expect(pressChord(parseKey('Control+v') as Chord)).rejects.toThrow('clipboard');
  expect(heard).toEqual(['keydown Control true', 'keydown v true', 'keyup v true', 'keyup Control false']);
});
