import { describe, expect, it } from 'vitest';
import type { BrowserAction } from '../../src/actions/define.ts';
import { BROWSER_ACTIONS, browserActions, describeTarget, parseArguments } from '../../src/actions/index.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { z } from '../../src/model/zod.ts';

const action = (name: string): BrowserAction => browserActions.get(name) as BrowserAction;
const parse = (name: string, args: JsonObject): JsonObject => parseArguments(action(name), args);

describe('the registry of actions', () => {
  it('effects are those of the format', () => {
    const by = (effect: string): string[] =>
      BROWSER_ACTIONS.filter((one) => one.effect === effect)
        .map(({ name }) => name)
        .sort();
    expect(by('read')).toEqual(['extract', 'list_tabs', 'read_article', 'screenshot', 'snapshot', 'wait_for']);
    expect(by('idempotent')).toEqual([
      'check',
      'fill',
      'fill_form',
      'hover',
      'navigate',
      'open_tab',
      'scroll',
      'select_option',
      'switch_tab',
    ]);
    expect(by('once')).toEqual([
      'click',
      'close_tab',
      'download',
      'drag',
      'go_back',
      'handle_dialog',
      'press_key',
      'type',
      'upload_file',
    ]);
  });

  it('each has a JSON Schema, for tools and the editor', () => {
    for (const one of BROWSER_ACTIONS)
      expect(z.toJSONSchema(one.args, { io: 'input' })).toMatchObject({ type: 'object' });
  });

  it('defaults are filled in', () => {
    expect(parse('click', { target: { css: 'a' } })).toEqual({
      target: { css: 'a' },
      button: 'left',
      count: 1,
      modifiers: [],
    });
    expect(parse('navigate', { url: 'https://a.example' })).toMatchObject({ waitFor: 'load' });
    expect(parse('snapshot', {})).toEqual({ maxChars: 15_000 });
  });

  it.each([
    ['click', { target: { css: 'a', text: 'b' } }, 'target'],
    ['click', { target: {} }, 'target'],
    ['click', { target: { text: 'b', name: 'c' } }, 'target'],
    ['click', { target: { css: 'a' }, speed: 1 }, 'arguments'],
    ['select_option', { target: { css: 'a' } }, 'value'],
    ['select_option', { target: { css: 'a' }, value: 'x', label: 'y' }, 'value'],
    ['extract', { as: 'items', target: { css: 'a' } }, 'fields'],
    ['extract', { as: 'attribute', target: { css: 'a' } }, 'attribute'],
    ['extract', { as: 'text', next: { css: 'a' } }, 'next'],
    ['scroll', {}, 'by'],
    ['scroll', { to: 'top', by: { y: 1 } }, 'by'],
    ['press_key', { key: 'Entre' }, 'key'],
    ['drag', { from: { css: 'a' } }, 'to'],
    ['wait_for', {}, 'target'],
    ['wait_for', { text: 'a', timeout: 'soon' }, 'timeout'],
    ['fill', { target: { css: 'a' }, value: { a: 1 } }, 'value'],
  ] as [string, JsonObject, string][])('%s %j: refused, naming %s', (name, args, field) => {
    expect(() => parse(name, args)).toThrowError(
      expect.objectContaining({ info: expect.objectContaining({ code: 'input_invalid', field }) }),
    );
  });

  it('titles begin with a verb and say what is acted on', () => {
    const field = { label: 'Justification' };
    expect(action('fill').title({ target: field, value: 'x'.repeat(200) })).toBe(
      `Fill "Justification" with "${'x'.repeat(119)}…"`,
    );
    expect(action('click').title({ target: [{ role: 'button', name: 'Pay' }, { css: '#pay' }] })).toBe(
      'Click button "Pay"',
    );
    expect(action('check').title({ target: field, checked: false })).toBe('Uncheck "Justification"');
    expect(action('select_option').title({ target: field, values: ['a', 'b'] })).toBe(
      'Choose "["a","b"]" in "Justification"',
    );
    expect(action('navigate').title({ url: 'https://a.example/' })).toBe('Open https://a.example/');
    expect(action('type').title({ target: field, text: 'hi' })).toBe('Type "hi" into "Justification"');
    expect(action('press_key').title({ key: 'Enter' })).toBe('Press Enter');
    expect(action('scroll').title({ until: { text: 'Row 9' } })).toBe('Scroll the page to "Row 9"');
    expect(action('drag').title({ from: { text: 'A' }, to: { text: 'B' } })).toBe('Drag "A" to "B"');
    expect(describeTarget(undefined)).toBe('the page');
  });
});
