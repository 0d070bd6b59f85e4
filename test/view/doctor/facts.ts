import type { DoctorFacts } from '../../../src/view/doctor/judge.ts';

export const NOW = Date.UTC(2026, 0, 5, 9);

/** Facts of a background with which everything is in order: a run waits for an approval, a model is set up, a site is granted. */
export function healthy(change: Partial<DoctorFacts> = {}): DoctorFacts {
  return {
    now: NOW,
    browser: { name: 'Chromium', version: '156.0.8078.114', minimum: '123' },
    extension: {
      id: 'abcdefghijklmnop',
      version: '1.2.3',
      build: 'production',
      install: 'development',
      fixedId: true,
      incognito: false,
    },
    worker: { startedAt: NOW - 90_000, ready: true, recoveredMs: 120, lives: 2, lock: 'held', keptAlive: false },
    database: {
      ok: true,
      value: {
        schema: 1,
        newest: 1,
        counts: { runs: 3, events: 140, artifacts: 1, workflows: 2, secrets: 2 },
        unreadableSecrets: 0,
        usage: 3_200_000,
        quota: 10_000_000_000,
        persisted: true,
        probe: { ok: true, value: null },
      },
    },
    journals: { ok: true, value: { checked: 3, cut: false, broken: [] } },
    grants: { ok: true, value: { granted: ['https://shop.example/*'], missing: [] } },
    models: {
      ok: true,
      value: {
        accounts: [{ id: 'main', provider: 'openai', hasKey: true, needsKey: true, hasAddress: true }],
        default: 'fast',
        defaultAccount: 'main',
        unmetModel: [],
        unmetSecret: [],
      },
    },
    alarms: { ok: true, value: { due: NOW + 3_600_000, wakeAt: NOW + 3_600_000, watchdog: false, running: false } },
    runs: {
      ok: true,
      value: { stopped: false, unfinished: 1, paused: 0, waiting: { approval: 1 }, stuck: [], unread: [] },
    },
    ...change,
  };
}

type Value<K extends keyof DoctorFacts> =
  Extract<NonNullable<DoctorFacts[K]>, { ok: true }> extends {
    value: infer V;
  }
    ? V
    : never;

/** The healthy value of a part, with some of it changed. */
export function part<K extends 'database' | 'journals' | 'grants' | 'models' | 'alarms' | 'runs'>(
  key: K,
  change: Partial<Value<K>>,
): Partial<DoctorFacts> {
  const looked = healthy()[key];
  if (!looked?.ok) throw new Error(`${key} is not there`);
  return { [key]: { ok: true, value: { ...looked.value, ...change } } };
}
