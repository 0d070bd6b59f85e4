import { describe, expect, it } from 'vitest';
import { checkArguments } from '../../src/actions/check-arguments.ts';
import { type BrowserAction, browserActions } from '../../src/actions/index.ts';
import type { JsonObject } from '../../src/model/json.ts';

const problems = (name: string, args: JsonObject, ...open: string[]) =>
  checkArguments(browserActions.get(name) as BrowserAction, args, new Set(open)).map(({ path }) => path.join('.'));

describe('arguments as they are written', () => {
  it.each<[string, string, JsonObject]>([
    [
      'a whole template fits anywhere',
      'click',
      { target: '{{step.a}}', count: '{{step.number}}', modifiers: '{{step.m}}' },
    ],
    [
      'also inside',
      'click',
      { target: { text: '{{loop_index}}', nth: '{{loop_index}}', within: { css: '{{loop_index}}' } } },
    ],
    ['a text with a template is a text', 'fill', { target: { label: 'No. {{loop_index}}' }, value: 'x{{loop_index}}' }],
    [
      'whatever a text must look like',
      'wait_for',
      { text: 'a', timeout: '{{loop_index}}s', state: 'vis{{loop_index}}' },
    ],
    ['in alternatives', 'click', { target: [{ text: '{{loop_index}}' }, { css: 'b', nth: '{{loop_index}}' }] }],
    ['a target in place of a word', 'navigate', { url: '{{loop_index}}', waitFor: { css: '{{loop_index}}' } }],
  ])('%s', (_, action, args) => {
    expect(problems(action, args)).toEqual([]);
  });

  it.each<[string, string, JsonObject, string[]]>([
    ['a key that is not there', 'click', { targt: { css: 'a' } }, ['target', 'targt']],
    ['one inside a target', 'click', { target: { css: 'a', txt: '{{loop_index}}' } }, ['target.txt']],
    ['one inside alternatives', 'click', { target: [{ css: 'a' }, { css: 'b', nht: 1 }] }, ['target.1.nht']],
    ['two ways in one target', 'click', { target: { css: 'a', text: '{{loop_index}}' } }, ['target']],
    ['a wrong type beside a template', 'click', { target: '{{loop_index}}', count: 'two' }, ['count']],
    ['a text where none fits', 'click', { target: { css: 'a' }, count: '2{{loop_index}}' }, ['count']],
    ['a text for a target', 'click', { target: 'the {{loop_index}}' }, ['target']],
    ['a number out of bounds', 'click', { target: { css: 'a' }, count: 9 }, ['count']],
    ['what is missing', 'fill', { target: { css: 'a' } }, ['value']],
    ['a state that is none', 'wait_for', { text: 'a', state: 'visibel' }, ['state']],
    ['what only goes together', 'extract', { as: 'attribute' }, ['attribute']],
  ])('%s: told, with its place', (_, action, args, paths) => {
    expect(problems(action, args).sort()).toEqual(paths.sort());
  });

  it('what comes from elsewhere may be left out, and fits whatever it is; unknown keys are told all the same', () => {
    expect(problems('fill', { target: { css: 'a' } }, 'value')).toEqual([]);
    expect(problems('fill', { target: { css: 'a' }, value: { from: 'previousStep' } }, 'value')).toEqual([]);
    expect(problems('fill', { target: { css: 'a' } }, 'value', 'colour')).toEqual(['colour']);
  });
});
