import { describe, expect, it } from 'vitest';
import { checkDefinition, readWorkflow } from '../../src/engine/preflight/index.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { WorkflowDefinition } from '../../src/model/workflow.ts';
import { registry } from '../../src/steps/index.ts';
import { secretNames } from '../../src/steps/secret-names.ts';

const file = (...steps: JsonObject[]): JsonObject => ({
  format: 'tabloom/v1',
  id: 'w',
  name: 'W',
  sites: ['https://a.example/app/*'],
  steps,
});
const page = (action: string, args: JsonObject | undefined, more: JsonObject = {}): JsonObject => ({
  id: 'act',
  type: 'browser_action',
  action,
  ...(args ? { arguments: args } : {}),
  ...more,
});
const seed = { id: 'seed', type: 'deterministic_command', operation: 'identity', arguments: { value: {} } };
const errors = (...steps: JsonObject[]) =>
  checkDefinition(file(...steps), registry)
    .filter(({ severity }) => severity === 'error')
    .map(({ code, pointer }) => `${code} ${pointer}`);

describe('preflight of a browser action', () => {
  it.each<[string, JsonObject, string[]]>([
    [
      'a key that is none',
      page('click', { target: { css: 'a' }, cont: 2 }),
      ['schema_invalid /steps/0/arguments/cont'],
    ],
    ['one with a slash', page('click', { target: { css: 'a' }, 'a/b': 2 }), ['schema_invalid /steps/0/arguments/a~1b']],
    ['no arguments at all', page('click', undefined), ['schema_invalid /steps/0/arguments/target']],
    [
      'an answer to dialogs that does not say which',
      page('click', { target: { css: 'a' }, dialog: { text: 'x' } }),
      ['schema_invalid /steps/0/arguments/dialog/accept'],
    ],
    [
      'a fixed address outside the sites',
      page('navigate', { url: 'https://a.example/other' }),
      ['site_not_allowed /steps/0/arguments/url'],
    ],
    ['in a new tab', page('open_tab', { url: 'https://b.example/' }), ['site_not_allowed /steps/0/arguments/url']],
    ['what is no address', page('navigate', { url: 'a.example/app' }), ['schema_invalid /steps/0/arguments/url']],
    ['an answer to dialogs', page('click', { target: { css: 'a' }, dialog: { accept: true, text: 'x' } }), []],
    ['a fixed address inside', page('navigate', { url: 'https://a.example/app/list' }), []],
    ['a part of an address to wait for', page('wait_for', { url: '/elsewhere' }), []],
  ])('%s', (_, step, expected) => {
    expect(errors(step)).toEqual(expected);
  });

  it('an address with a template, and arguments that come over an edge or from a source: not known yet', () => {
    expect(errors(seed, page('navigate', { url: 'https://b.example/{{step.seed}}' }))).toEqual([]);
    expect(errors(seed, page('click', undefined, { dependsOn: [{ step: 'seed', output: 'args' }] }))).toEqual([]);
    const fed = { dependsOn: [{ step: 'seed', output: 'v', input: 'value' }] };
    expect(errors(seed, page('fill', { target: { css: 'a' } }, fed))).toEqual([]);
    expect(errors(seed, page('fill', { target: { css: 'a' }, value: { from: 'previousStep', step: 'seed' } }))).toEqual(
      [],
    );
    expect(errors(seed, page('fill', { from: 'previousStep', step: 'seed' }))).toEqual([]);
  });

  it('what is missing, unknown or wrong: said in words', () => {
    const step = page('click', { targt: { css: 'a' }, count: 'two' });
    const messages = checkDefinition(file(step), registry).map(({ message }) => message);
    expect(messages.sort()).toEqual([
      'Correct "count" of click: expected number, received string.',
      'Correct "target" of click: it is missing.',
      'Correct "targt" of click: there is no "targt" here.',
    ]);
  });

  it('in a file: the line of the argument', () => {
    const text = [
      'format: tabloom/v1',
      'id: w',
      'name: W',
      'sites: ["https://a.example/*"]',
      'steps:',
      '  - id: send',
      '    type: browser_action',
      '    action: click',
      '    arguments:',
      '      target: { css: "#send" }',
      '      count: many',
    ].join('\n');
    const { problems } = readWorkflow(text, 'w.yaml', registry);
    expect(problems.map(({ pointer, line }) => [pointer, line])).toEqual([['/steps/0/arguments/count', 11]]);
  });
});

describe('the secrets of a workflow', () => {
  it('are found at any depth, and only where a template names them', () => {
    const loop = {
      id: 'l',
      type: 'loop',
      over: [1],
      steps: [page('fill', { target: { css: 'a' }, value: 'x {{secret.inner}} {{ secret["my key"] }}' })],
    };
    const workflow = file(loop, page('fill', { value: 'secret.none {{step.secret.x}}', target: '{{secret.outer}}' }));
    expect(secretNames(workflow as unknown as WorkflowDefinition)).toEqual(['inner', 'my key', 'outer']);
  });
});
