import { describe, expect, it } from 'vitest';
import type { JournalEvent } from '../../src/model/events.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { type CutCall, type Kill, landingOf } from '../support/kills/landing.ts';

const types = new Map([
  ['send', 'browser_action'],
  ['ask', 'recipe'],
]);

function journal(...rows: [at: number, type: string, path?: string, data?: JsonObject][]): JournalEvent[] {
  return rows.map(([at, type, path, data = {}], index) => ({
    runId: 'r',
    seq: index + 1,
    at,
    type,
    path,
    data,
    prev: '',
    hash: '',
  }));
}

const KILL: Kill = { asked: 100, gone: 110, before: 0, booting: false };

function land(events: JournalEvent[], kill: Partial<Kill> = {}, cuts: CutCall[] = []) {
  return landingOf({ ...KILL, ...kill }, { began: 200, journals: [events], types, cuts });
}

const recovered = (...interrupted: string[]): [number, string, undefined, JsonObject] => [
  300,
  'run.recovered',
  undefined,
  { interrupted },
];

describe('a kill landed', () => {
  it('between a once intent and its result when the recovery names a once attempt, and not when its result was stored', () => {
    const started: [number, string, string, JsonObject] = [50, 'step.started', 'each[0]/send', { effect: 'once' }];
    expect(land(journal(started, recovered('each[0]/send')))).toBe('once');
    expect(land(journal(started, [60, 'step.completed', 'each[0]/send'], recovered()))).toBe('nothing');
  });

  it('during a model call only when its server has seen the call break off too', () => {
    const events = journal([50, 'step.started', 'ask', { effect: 'read' }], recovered('ask'));
    expect(land(events)).toBe('work');
    expect(land(events, {}, [{ openedAt: 60, closedAt: 105 }])).toBe('model');
    expect(land(events, {}, [{ openedAt: 60, closedAt: 90 }])).toBe('work');
  });

  it('in backoff only when the backoff had begun before the kill and was not over after it', () => {
    const at = (ms: number, delayMs: number) =>
      land(journal([ms, 'step.attempt', 'ask', { delayMs }], recovered(), [400, 'step.started', 'ask']));
    expect(at(50, 100)).toBe('backoff');
    expect(at(50, 40)).toBe('nothing');
    expect(at(105, 100)).toBe('nothing');
  });

  it('while waiting for a person only when nothing else was under way', () => {
    const asked: [number, string, string] = [50, 'approval.requested', 'gate'];
    expect(land(journal(asked))).toBe('person');
    expect(land(journal(asked, [60, 'approval.decided', 'gate']))).toBe('nothing');
    expect(land(journal(asked, [60, 'step.started', 'look', { effect: 'read' }], recovered('look')))).toBe('work');
  });

  it('during recovery only when the life that was cut had written nothing, and the next one found what to recover', () => {
    const started: [number, string, string, JsonObject] = [50, 'step.started', 'send', { effect: 'once' }];
    const boot = { booting: true, before: 80 };
    expect(land(journal(started, recovered('send')), boot)).toBe('recovery');
    expect(land(journal(started, recovered('send')), { before: 80 })).toBe('once');
    // The life that was cut had come through after all.
    expect(land(journal(started, [95, 'run.recovered', undefined, { interrupted: ['send'] }]), boot)).toBe('nothing');
    // Nothing was to be recovered.
    expect(land(journal([50, 'approval.requested', 'gate']), boot)).toBe('person');
  });
});
