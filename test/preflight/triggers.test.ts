import { describe, expect, it } from 'vitest';
import { checkDefinition, readWorkflow } from '../../src/engine/preflight/index.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { registry } from '../../src/steps/index.ts';
import { value, workflow } from '../support/engine.ts';

const SITES = ['https://example.com/*'];
const check = (trigger: object, more: JsonObject = {}) =>
  checkDefinition(
    workflow([value('a', 1)], { sites: SITES, triggers: [trigger as JsonObject], ...more }),
    registry,
  ).map(({ code, severity, pointer }) => `${severity === 'warning' ? 'warning ' : ''}${code} ${pointer}`);
const PAGE = { id: 'p', type: 'page', match: ['https://example.com/list*'] };

describe('what a trigger may say', () => {
  it.each([
    [{ id: 'by-hand', type: 'manual' }],
    [{ ...PAGE, selector: 'table.open', auto: false, button: false }],
    [{ id: 'menu', type: 'context_menu', on: ['page', 'selection', 'link', 'image'] }],
    [{ id: 'menu', type: 'context_menu' }],
    [{ id: 'key', type: 'command', slot: 1 }],
    [{ id: 'mondays', type: 'schedule', cron: '0 9 * * 1', timezone: 'Europe/Berlin', missed: 'skip' }],
    [{ id: 'mondays', type: 'schedule', cron: '0 9 * * 1' }],
    [{ id: 'bar', type: 'omnibox', keyword: 'expenses' }],
    [{ id: 'agentic', type: 'mcp' }],
    [{ id: 'after-task', type: 'task_event', event: 'completed', workflow: 'intake' }],
    [{ id: 'menu', type: 'context_menu', concurrency: 'replace', debounce: '2s' }],
  ])('%j', (trigger) => {
    expect(check(trigger)).toEqual([]);
  });

  it.each([
    ['a type that is none', { id: 'a', type: 'webhook' }, 'schema_invalid /triggers/0/type'],
    ['no type', { id: 'a' }, 'schema_invalid /triggers/0/type'],
    ['no id', { type: 'manual' }, 'schema_invalid /triggers/0/id'],
    ['an id that is none', { id: '1 2', type: 'manual' }, 'schema_invalid /triggers/0/id'],
    ['an unknown key', { id: 'a', type: 'manual', cron: '* * * * *' }, 'schema_invalid /triggers/0/cron'],
    ['a page without patterns', { id: 'a', type: 'page' }, 'schema_invalid /triggers/0/match'],
    ['an empty list of patterns', { ...PAGE, match: [] }, 'schema_invalid /triggers/0/match'],
    ['a pattern that is no text', { ...PAGE, match: [7] }, 'schema_invalid /triggers/0/match/0'],
    ['a pattern that is none', { ...PAGE, match: ['example.com'] }, 'schema_invalid /triggers/0/match/0'],
    ['auto that is a word', { ...PAGE, auto: 'yes' }, 'schema_invalid /triggers/0/auto'],
    ['a button in the page', { ...PAGE, button: true }, 'schema_invalid /triggers/0/button'],
    ['a menu in no place', { id: 'a', type: 'context_menu', on: [] }, 'schema_invalid /triggers/0/on'],
    ['a menu in an unknown place', { id: 'a', type: 'context_menu', on: ['video'] }, 'schema_invalid /triggers/0/on/0'],
    ['a place twice', { id: 'a', type: 'context_menu', on: ['page', 'page'] }, 'schema_invalid /triggers/0/on'],
    ['a slot that is none', { id: 'a', type: 'command', slot: 6 }, 'schema_invalid /triggers/0/slot'],
    ['a cron line of six', { id: 'a', type: 'schedule', cron: '0 0 9 * * 1' }, 'schema_invalid /triggers/0/cron'],
    ['a day that never comes', { id: 'a', type: 'schedule', cron: '0 0 30 2 *' }, 'schema_invalid /triggers/0/cron'],
    [
      'a zone that is none',
      { id: 'a', type: 'schedule', cron: '* * * * *', timezone: 'Berlin' },
      'schema_invalid /triggers/0/timezone',
    ],
    [
      'another way with what was missed',
      { id: 'a', type: 'schedule', cron: '* * * * *', missed: 'all' },
      'schema_invalid /triggers/0/missed',
    ],
    ['two words in the bar', { id: 'a', type: 'omnibox', keyword: 'two words' }, 'schema_invalid /triggers/0/keyword'],
    ['another event of a task', { id: 'a', type: 'task_event', event: 'due' }, 'schema_invalid /triggers/0/event'],
    ['a debounce of days', { id: 'a', type: 'manual', debounce: '2d' }, 'schema_invalid /triggers/0/debounce'],
    ['another concurrency', { id: 'a', type: 'manual', concurrency: 'all' }, 'schema_invalid /triggers/0/concurrency'],
    ['a page that sites do not cover', { ...PAGE, match: ['https://*/*'] }, 'site_not_allowed /triggers/0/match/0'],
    ['another root', { id: 'a', type: 'manual', input: { n: '{{step.a}}' } }, 'not_visible /triggers/0/input/n'],
    ['a secret', { id: 'a', type: 'manual', input: { n: ['{{secret.key}}'] } }, 'not_visible /triggers/0/input/n/0'],
    ['no template', { id: 'a', type: 'manual', input: { n: '{{ 1 + }}' } }, 'template_invalid /triggers/0/input/n'],
  ])('%s: refused', (_, trigger, want) => {
    expect(check(trigger)).toEqual([want]);
  });

  it('the same id twice', () => {
    const twice = [
      { id: 'a', type: 'manual' },
      { id: 'a', type: 'mcp' },
    ];
    expect(check({}, { triggers: twice })).toEqual(['duplicate_id /triggers/1/id']);
  });

  it('a page trigger of a workflow without sites', () => {
    expect(check(PAGE, { sites: [] })).toEqual(['site_not_allowed /triggers/0/match/0']);
    expect(check(PAGE, { sites: undefined as never })).toEqual(['site_not_allowed /triggers/0/match/0']);
  });
});

describe('warnings', () => {
  const inputs = { type: 'object', required: ['n'], properties: { n: { type: 'number' }, m: { default: 1 } } };

  it('an input that is none of the workflow, and what a trigger of its type does not give', () => {
    expect(check({ id: 'a', type: 'manual', input: { n: '{{trigger.linkUrl}}', x: 1 } }, { inputs })).toEqual([
      'warning path_implausible /triggers/0/input/n',
      'warning path_implausible /triggers/0/input/x',
    ]);
    expect(check({ id: 'a', type: 'manual', input: { n: '{{has(trigger.text) ? 1 : 2}}' } }, { inputs })).toEqual([]);
  });

  it('nobody is there to be asked for what a schedule, a page that starts by itself or a task does not give', () => {
    const unattended = [
      { id: 'a', type: 'schedule', cron: '* * * * *' },
      { ...PAGE, auto: true },
      { id: 'a', type: 'task_event', event: 'completed' },
    ];
    for (const trigger of unattended) {
      expect(check(trigger, { inputs })).toEqual(['warning input_invalid /triggers/0']);
      expect(check({ ...trigger, input: { n: 1 } }, { inputs })).toEqual([]);
    }
    for (const trigger of [PAGE, { id: 'a', type: 'context_menu' }]) expect(check(trigger, { inputs })).toEqual([]);
  });
});

it('in a file: with line and column, all at once', () => {
  const { problems } = readWorkflow(
    `format: tabloom/v1
id: x
name: X
sites: ["https://example.com/*"]
triggers:
  - { id: mondays, type: schedule, cron: "0 9 * *" }
  - id: on-list
    type: page
    match:
      - https://example.org/list*
steps:
  - { id: a, type: deterministic_command, operation: identity, arguments: { value: 1 } }
`,
    'x.yaml',
    registry,
  );
  expect(problems.map(({ code, line, column }) => [code, line, column])).toEqual([
    ['schema_invalid', 6, 36],
    ['site_not_allowed', 10, 9],
  ]);
  expect(problems[0]?.message).toBe(
    '"cron" does not fit: Write five fields (minute, hour, day of month, month, day of week), such as "0 9 * * 1"; this has 4.',
  );
});
