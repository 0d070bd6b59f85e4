// @vitest-environment happy-dom
import { beforeEach, expect, it } from 'vitest';
import { type Edit, edit } from '../../src/actions/page/act/edit.ts';
import { env } from '../../src/actions/page/env.ts';
import { fakePage, put } from './page-env.ts';

beforeEach(fakePage);

/** An event of the browser's own. */
function own(type: string, inputType: string): InputEvent {
  const event = new InputEvent(type, { bubbles: true, cancelable: true, inputType });
  Object.defineProperty(event, 'isTrusted', { value: true });
  return event;
}

/**
 * An editor in a browser that takes commands.
 * @param asks whether the browser asks the page by itself before it does what it is told
 * @returns the editor, what its page hears, and what the browser has done
 */
function editor(asks: boolean): { region: HTMLElement; heard: string[]; done: string[] } {
  env().browser.commandAsks = asks;
  const region = put('<div></div>');
  Object.defineProperty(region, 'isContentEditable', { value: true });
  const heard: string[] = [];
  const done: string[] = [];
  for (const type of ['beforeinput', 'input'])
    region.addEventListener(type, (event) => heard.push(`${type} ${(event as InputEvent).inputType}`));
  document.execCommand = (name) => {
    const inputType = name === 'delete' ? 'deleteContentBackward' : name;
    if (asks && !region.dispatchEvent(own('beforeinput', inputType))) return true;
    done.push(name);
    region.dispatchEvent(own('input', inputType));
    return true;
  };
  return { region, heard, done };
}

it.each([false, true])(
  'the page is asked once and told once, in the right words (the browser asks itself: %s)',
  async (asks) => {
    const { region, heard, done } = editor(asks);
    const edits: Edit[] = ['insertText', 'deleteContentBackward', 'insertFromPaste', 'deleteByCut'];
    for (const how of edits) expect(await edit(region, how, 'x')).toBe(false);
    expect(heard).toEqual(edits.flatMap((how) => [`beforeinput ${how}`, `input ${how}`]));
    expect(done).toEqual(['insertText', 'delete', 'insertText', 'delete']);
  },
);

it.each([false, true])(
  'an edit that the page does itself is left to it (the browser asks itself: %s)',
  async (asks) => {
    const { region, heard, done } = editor(asks);
    region.addEventListener('beforeinput', (event) => event.preventDefault());
    for (const how of ['insertText', 'insertFromPaste'] as const) expect(await edit(region, how, 'x')).toBe(true);
    expect(heard).toEqual(['beforeinput insertText', 'beforeinput insertFromPaste']);
    expect(done).toEqual([]);
  },
);
