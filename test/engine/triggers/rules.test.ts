import { describe, expect, it } from 'vitest';
import { mapInput, triggerRoot, withDefaults } from '../../../src/engine/triggers/input.ts';
import {
  addFiring,
  debounceMs,
  failuresInARow,
  lookAtSchedule,
  MOST_WAITING,
  pageTriggersFor,
  turnOf,
  unfinishedOf,
} from '../../../src/engine/triggers/rules.ts';
import { patternCovered } from '../../../src/engine/values/index.ts';
import type { RunRow, RunStatus } from '../../../src/model/run.ts';
import type { Firing, TriggerDefinition } from '../../../src/model/triggers.ts';
import type { WorkflowDefinition } from '../../../src/model/workflow.ts';

const at = (text: string) => Date.parse(text);
const run = (status: RunStatus, createdAt: number, id = 't') =>
  ({ status, createdAt, trigger: { id } }) as unknown as RunRow;

describe('times of a schedule', () => {
  const hourly = { cron: '0 * * * *' };
  const look = (missed: 'skip' | 'run_once', past: string, now: string, cron = hourly.cron) => {
    const { past: to, fire, next } = lookAtSchedule({ cron, missed }, 'UTC', at(past), at(now));
    return [to, fire, next].map((time) => (time === undefined ? '-' : new Date(time).toISOString().slice(11, 16)));
  };

  it('none has come: the next one', () => {
    expect(look('skip', '2026-01-01T08:00:00Z', '2026-01-01T08:59:59Z')).toEqual(['08:00', '-', '09:00']);
  });

  it('one has come just now: it fires', () => {
    expect(look('skip', '2026-01-01T08:00:00Z', '2026-01-01T09:00:30Z')).toEqual(['09:00', '09:00', '10:00']);
  });

  it('one has come long ago: let go, or one run', () => {
    expect(look('skip', '2026-01-01T08:00:00Z', '2026-01-01T09:20:00Z')).toEqual(['09:00', '-', '10:00']);
    expect(look('run_once', '2026-01-01T08:00:00Z', '2026-01-01T09:20:00Z')).toEqual(['09:00', '09:00', '10:00']);
  });

  it('many have come: one run, for the newest', () => {
    expect(look('run_once', '2026-01-01T08:00:00Z', '2026-01-09T14:20:00Z')).toEqual(['14:00', '14:00', '15:00']);
    expect(look('skip', '2026-01-01T08:00:00Z', '2026-01-09T14:01:00Z')).toEqual(['14:00', '14:00', '15:00']);
    expect(look('run_once', '2026-01-01T08:00:00Z', '2027-06-09T14:20:30Z', '* * * * *')).toEqual([
      '14:20',
      '14:20',
      '14:21',
    ]);
    expect(look('run_once', '2020-01-01T08:00:00Z', '2026-06-09T14:20:30Z', '30 7 29 2 *')).toEqual([
      '07:30',
      '07:30',
      '07:30',
    ]);
  });

  it('the zone of the trigger goes before that of the machine', () => {
    const { next } = lookAtSchedule(
      { cron: '0 9 * * *', timezone: 'Europe/Berlin' },
      'America/New_York',
      at('2026-01-01T00:00Z'),
      at('2026-01-01T00:00Z'),
    );
    expect(next).toBe(at('2026-01-01T08:00Z'));
  });

  it('a clock that was put back: nothing fires twice', () => {
    const past = at('2026-01-01T09:00:00Z');
    const again = lookAtSchedule(hourly, 'UTC', past, at('2026-01-01T08:30:00Z'));
    expect([again.past, again.fire, again.next]).toEqual([past, undefined, at('2026-01-01T10:00:00Z')]);
  });
});

describe('firings that wait', () => {
  const firing = (key: string, due: number): Firing => ({ key, at: due, due, trigger: {} });

  it('one in its debounce gives way to the next; one that is due stays', () => {
    expect(addFiring([firing('a', 10), firing('b', 30)], firing('c', 40), 20)?.map(({ key }) => key)).toEqual([
      'a',
      'c',
    ]);
  });

  it('the same key is there once', () => {
    expect(addFiring([firing('a', 10)], firing('a', 10), 20)).toHaveLength(1);
  });

  it('no room: not added', () => {
    const full = Array.from({ length: MOST_WAITING }, (_, index) => firing(`k${index}`, 1));
    expect(addFiring(full, firing('one more', 5), 20)).toBeUndefined();
  });

  it('debounce: as written, a second for a page that starts by itself, none else', () => {
    const triggers: TriggerDefinition[] = [
      { id: 'a', type: 'manual', debounce: '2s' },
      { id: 'b', type: 'page', match: [], auto: true },
      { id: 'c', type: 'page', match: [] },
      { id: 'd', type: 'page', match: [], auto: true, debounce: 0 },
    ];
    expect(triggers.map(debounceMs)).toEqual([2000, 1000, 0, 0]);
  });
});

describe('an earlier run of the same trigger', () => {
  it.each([
    [undefined, 'wait'],
    ['queue', 'wait'],
    ['skip', 'drop'],
    ['replace', 'replace'],
  ] as const)('concurrency %s: %s while it goes on, start when not', (concurrency, turn) => {
    expect([turnOf(concurrency, true), turnOf(concurrency, false)]).toEqual([turn, 'start']);
  });

  it('only its own runs that have not ended are in its way', () => {
    const runs = [run('waiting', 1), run('paused', 2), run('failed', 3), run('running', 4, 'other')];
    expect(unfinishedOf(runs, 't').map(({ createdAt }) => createdAt)).toEqual([1, 2]);
  });
});

describe('failures in a row', () => {
  it('counts back to the newest success; cancelled runs, those under way and other triggers say nothing', () => {
    const runs = [
      run('running', 9),
      run('failed', 8),
      run('cancelled', 7),
      run('completed', 6, 'other'),
      run('failed', 5),
    ];
    expect(failuresInARow([...runs, run('completed', 4), run('failed', 3)], 't', 0)).toBe(2);
    expect(failuresInARow([...runs, run('partial', 4), run('failed', 3)], 't', 0)).toBe(2);
    expect(failuresInARow([...runs, run('failed', 3)], 't', 0)).toBe(3);
  });

  it('runs before it was switched on do not count', () => {
    expect(failuresInARow([run('failed', 8), run('failed', 5), run('failed', 3)], 't', 5)).toBe(2);
  });
});

describe('pages', () => {
  const definition = {
    sites: ['https://example.com/*'],
    triggers: [
      { id: 'list', type: 'page', match: ['https://example.com/list*', 'https://other.example/*'] },
      { id: 'all', type: 'page', match: ['https://example.com/*'] },
      { id: 'hand', type: 'manual' },
    ],
  } as unknown as WorkflowDefinition;

  it.each([
    ['https://example.com/list?page=2#top', ['list', 'all']],
    ['https://example.com/detail', ['all']],
    ['https://other.example/', []],
    ['about:blank', []],
  ])('%s: %j', (url, ids) => {
    expect(pageTriggersFor(definition, url).map(({ id }) => id)).toEqual(ids);
  });

  it.each([
    ['https://example.com/*', 'https://example.com/list*', true],
    ['https://example.com/list*', 'https://example.com/*', false],
    ['https://example.com/list*', 'https://example.com/list', true],
    ['https://example.com/a*z', 'https://example.com/a*b*z', true],
    ['https://example.com/a*z', 'https://example.com/a*', false],
    ['https://*.example.com/*', 'https://www.example.com/', true],
    ['https://example.com/*', 'https://*.example.com/*', false],
    ['*://example.com/*', 'https://example.com/*', true],
    ['https://example.com/*', '*://example.com/*', false],
    ['https://example.com:8443/*', 'https://example.com/*', false],
    ['https://example.com/*', 'https://example.com:8443/*', true],
    ['<all_urls>', '*://*/x*', true],
    ['https://example.com/*', '<all_urls>', false],
    ['nonsense', 'https://example.com/*', false],
    ['https://example.com/*', 'nonsense', false],
  ])('%s covers %s: %s', (outer, inner, expected) => {
    expect(patternCovered([outer], inner)).toBe(expected);
  });
});

describe('the input of a run', () => {
  const trigger = { id: 'menu', type: 'context_menu' } as const;

  it('templates over trigger; what this firing does not have is left out', () => {
    const root = triggerRoot(trigger, { linkUrl: 'https://example.com/x', selection: undefined });
    expect(root).toEqual({ type: 'context_menu', id: 'menu', linkUrl: 'https://example.com/x' });
    expect(
      mapInput(
        {
          url: '{{trigger.linkUrl}}',
          text: 'see {{trigger.selection}}',
          by: '{{trigger.type}}/{{trigger.id}}',
          fixed: [1, '{{has(trigger.selection) ? 1 : 2}}'],
        },
        root,
      ),
    ).toEqual({ url: 'https://example.com/x', by: 'context_menu/menu', fixed: [1, 2] });
  });

  it('braces that come from a page stay text, and long texts are cut', () => {
    const root = triggerRoot(trigger, { selection: `{{trigger.id}}${'x'.repeat(30_000)}` });
    const { text } = mapInput({ text: '{{trigger.selection}}' }, root) as { text: string };
    expect([text.startsWith('{{trigger.id}}xx'), text.length]).toEqual([true, 20_000]);
  });

  it('defaults of the schema fill what is not given', () => {
    const schema = { type: 'object', properties: { a: { default: 1 }, b: { default: null }, c: {} } };
    expect(withDefaults(schema, { a: 2 })).toEqual({ a: 2, b: null });
    expect(withDefaults(undefined, { a: 2 })).toEqual({ a: 2 });
  });
});
