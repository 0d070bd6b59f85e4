import { describe, expect, it } from 'vitest';
import type { DoctorFacts } from '../../../src/view/doctor/judge.ts';
import { checkLine, reportText } from '../../../src/view/doctor/report.ts';
import { translatorFor } from '../../../src/view/messages/index.ts';
import { healthy, NOW, part } from './facts.ts';

const english = translatorFor('en', 'en-GB');
const PLANTED = 'sk-planted-9f8e7d';
const fault = { code: 'internal', name: 'DataError', message: `It failed on ${PLANTED}.` };

/** Facts in which every place that a person, a site or a provider can write to holds the planted word. */
function planted(): DoctorFacts {
  const named = `https://${PLANTED}.example`;
  return healthy({
    worker: { ...healthy().worker, ready: false, bootFault: fault, lastFault: { at: NOW, message: PLANTED } },
    ...part('database', { probe: { ok: false, fault } }),
    ...part('journals', { broken: [{ runId: 'run-77', seq: 4 }] }),
    ...part('grants', {
      granted: [named],
      missing: [{ origin: `${named}/?q=${PLANTED}`, workflows: [PLANTED], runs: ['run-78'], waiting: true }],
    }),
    ...part('models', {
      accounts: [{ id: PLANTED, provider: 'openai', hasKey: false, needsKey: true, hasAddress: true }],
      default: PLANTED,
      defaultAccount: PLANTED,
      unmetModel: [PLANTED],
      unmetSecret: [PLANTED],
    }),
    ...part('runs', { stuck: ['run-79'] }),
  });
}

describe('the report', () => {
  it('holds nothing that a person, a site or a provider has written, in whatever part of the facts it is', () => {
    const connection = { ok: false, model: PLANTED, code: 'auth_failed', status: 401, message: PLANTED, online: true };
    const failed = { ok: false, fault } as const;
    const broken = { journals: failed, grants: failed, models: failed, alarms: failed, runs: failed };
    for (const facts of [planted(), { ...planted(), ...broken, database: failed }]) {
      const text = reportText(facts, english, connection);
      expect(text).not.toContain(PLANTED);
      expect(text).not.toMatch(/planted|https?:/);
    }
  });

  it('still says what is wrong: codes, run ids, numbers', () => {
    const text = reportText(planted(), english);
    for (const word of [
      'run-77 is broken at event 4',
      'run-78',
      'run-79',
      'internal DataError',
      'Chromium 156',
      'site-2',
    ])
      expect(text).toContain(word);
  });

  it('the connection’s code and status are told, the provider’s words are not', () => {
    const text = reportText(healthy(), english, {
      ok: false,
      model: 'fast',
      code: 'bad_request',
      status: 404,
      message: 'No model of that name',
      online: true,
    });
    expect(text).toContain('(bad_request 404)');
    expect(text).not.toContain('No model of that name');
  });

  it('one line a check, each with glyph and word, under the version and the time', () => {
    const [head, ...lines] = reportText(healthy(), english).trimEnd().split('\n');
    expect(head).toBe('Tabloom 1.2.3 diagnostics, 2026-01-05T09:00:00.000Z');
    expect(lines.filter((text) => !/^✓ ok {4}\w+ +\S/.test(text))).toEqual([]);
  });

  it('what to do stands on the same line', () => {
    expect(checkLine({ id: 'store', state: 'fail', message: 'It does not open.', todo: 'Update it.' })).toBe(
      '✗ fail  store       It does not open. → Update it.',
    );
  });
});
