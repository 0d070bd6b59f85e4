import { describe, expect, it } from 'vitest';
import { allWell } from '../../../src/view/doctor/check.ts';
import { type Check, type ConnectionFacts, type DoctorFacts, judge } from '../../../src/view/doctor/judge.ts';
import { compareVersions } from '../../../src/view/doctor/judge-itself.ts';
import { translatorFor } from '../../../src/view/messages/index.ts';
import { healthy, NOW, part } from './facts.ts';

const english = translatorFor('en', 'en-GB');
const german = translatorFor('de', 'de-DE');

function line(id: string, change: Partial<DoctorFacts>, connection?: ConnectionFacts): Check {
  const found = judge(healthy(change), english, connection).filter((check) => check.id === id);
  if (found.length !== 1) throw new Error(`${id} has ${found.length} lines`);
  return found[0] as Check;
}

const GONE = { code: 'internal', name: 'VersionError', message: 'It was written by a newer version.' };

describe('the checks as a whole', () => {
  it('everything is in order: every line is ok, and no line says what to do', () => {
    const checks = judge(healthy(), english);
    expect(checks.filter(({ state, todo }) => state !== 'ok' || todo !== undefined)).toEqual([]);
    expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
    expect(checks.length).toBeGreaterThan(14);
  });

  it('German: the same ids and states, other words, and no placeholder is left', () => {
    for (const facts of [healthy(), healthy(part('runs', { stopped: true, stuck: ['run-1'] }))]) {
      const [en, de] = [judge(facts, english), judge(facts, german)];
      expect(de.map(({ id, state }) => [id, state])).toEqual(en.map(({ id, state }) => [id, state]));
      expect(de.map(({ message }) => message)).not.toEqual(en.map(({ message }) => message));
      for (const { message, todo } of [...en, ...de]) expect(`${message} ${todo}`).not.toMatch(/\{|doctor\./);
    }
  });

  it('every line of a check is one line, also where somebody else’s words stand in it', () => {
    const checks = judge(
      healthy({ database: { ok: false, fault: { ...GONE, message: 'It failed.\n  at x\r\n  at y' } } }),
      english,
    );
    expect(checks.filter(({ message, todo }) => /[\r\n]/.test(`${message}${todo}`))).toEqual([]);
  });

  it('what was not looked at, since the background did not start: has no line; browser, background and database have', () => {
    const { journals, grants, models, alarms, runs, ...rest } = healthy();
    const checks = judge(
      {
        ...rest,
        worker: { ...rest.worker, ready: false, recoveredMs: undefined, bootFault: GONE },
        database: { ok: false, fault: GONE },
      },
      english,
    );
    expect(checks.map(({ id, state }) => `${id} ${state}`)).toEqual([
      'browser ok',
      'extension ok',
      'worker fail',
      'lock ok',
      'faults ok',
      'store fail',
    ]);
    expect(allWell(checks)).toBe(false);
    expect(checks.find(({ id }) => id === 'store')?.message).toContain(GONE.message);
  });

  it('a part that could not be looked at: a warning that says why, and the others have their lines', () => {
    const failed = { ok: false, fault: { code: 'timeout', message: 'There was no answer in 8 s.' } } as const;
    const all = { journals: failed, grants: failed, models: failed, alarms: failed, runs: failed };
    const checks = judge(healthy(all), english);
    const warned = checks.filter(({ state }) => state === 'warn');
    expect(warned.map(({ id }) => id)).toEqual(['journals', 'sites', 'model', 'alarm', 'runs']);
    for (const { message } of warned) expect(message).toContain('no answer in 8 s');
  });
});

describe('browser and extension', () => {
  it.each([
    ['122.9.9', 'fail'],
    ['123', 'ok'],
    ['123.0.1', 'ok'],
    ['1000.0', 'ok'],
    ['', 'warn'],
  ])('browser version "%s" where 123 is needed: %s', (version, state) => {
    expect(line('browser', { browser: { name: 'Chromium', version, minimum: '123' } })).toMatchObject({ state });
  });

  it('versions: compared by number, missing parts are 0', () => {
    expect(compareVersions('9.10', '9.9')).toBeGreaterThan(0);
    expect(compareVersions('140', '140.0.0')).toBe(0);
    expect(compareVersions('139.9', '140.0')).toBeLessThan(0);
  });

  it.each([
    [{ build: 'development' }, 'warn'],
    [{ fixedId: false }, 'fail'],
    [{ incognito: true }, 'warn'],
    [{ install: 'normal' }, 'ok'],
  ] as const)('extension with %j: %s', (change, state) => {
    expect(line('extension', { extension: { ...healthy().extension, ...change } }).state).toBe(state);
  });
});

describe('the background', () => {
  const worker = (change: Partial<DoctorFacts['worker']>) => ({ worker: { ...healthy().worker, ...change } });

  it('not ready, and no fault: it may still be starting', () => {
    expect(line('worker', worker({ ready: false }))).toMatchObject({ state: 'warn' });
  });

  it('it could not start: failed, with the reason', () => {
    expect(line('worker', worker({ ready: false, bootFault: GONE }))).toMatchObject({
      state: 'fail',
      message: expect.stringContaining(GONE.message),
    });
  });

  it.each([
    ['held', 'ok'],
    ['waiting', 'fail'],
    ['unsupported', 'warn'],
  ] as const)('the engine’s lock is %s: %s', (lock, state) => {
    expect(line('lock', worker({ lock })).state).toBe(state);
  });

  it('a fault some time ago: a warning that says when and what', () => {
    const lastFault = { at: NOW - 120_000, message: 'The store failed: no room.' };
    expect(line('faults', worker({ lastFault }))).toMatchObject({
      state: 'warn',
      message: 'The last fault was 2 minutes ago: The store failed: no room.',
    });
  });
});

describe('the database', () => {
  it('it opens but refuses a write: failed', () => {
    const probe = { ok: false, fault: { code: 'internal', message: 'There is no room left.' } } as const;
    expect(line('store', part('database', { probe }))).toMatchObject({
      state: 'fail',
      message: expect.stringContaining('no room left'),
    });
  });

  it('it is open with another schema than this build knows: failed', () => {
    expect(line('store', part('database', { schema: 2 })).state).toBe('fail');
  });

  it.each([
    [0.1, 'ok'],
    [0.79, 'ok'],
    [0.81, 'warn'],
    [0.96, 'fail'],
  ])('%d of the quota is used: %s', (used, state) => {
    expect(line('space', part('database', { usage: used * 1e9, quota: 1e9 })).state).toBe(state);
  });

  it('space without a word of the browser: said so, no failure', () => {
    expect(line('space', part('database', { usage: undefined, quota: undefined }))).toMatchObject({ state: 'ok' });
  });

  it('a broken chain: failed, naming the run and its first broken event', () => {
    const broken = [
      { runId: 'run-a', seq: 7 },
      { runId: 'run-b', seq: 1 },
    ];
    const { state, message } = line('journals', part('journals', { broken }));
    expect(state).toBe('fail');
    expect(message).toContain('run-a is broken at event 7.');
    expect(message).toContain('run-b is broken at event 1.');
  });

  it('not all journals could be checked in time: says so', () => {
    expect(line('journals', part('journals', { cut: true })).message).toContain('left out');
  });

  it('a stored value does not open: failed', () => {
    expect(line('secrets', part('database', { unreadableSecrets: 1 })).state).toBe('fail');
  });

  it('a workflow that is on names a secret that is not stored: a warning with its name', () => {
    expect(line('secrets', part('models', { unmetSecret: ['invoices'] }))).toMatchObject({
      state: 'warn',
      message: expect.stringContaining('invoices'),
    });
  });
});

describe('sites', () => {
  const lack = { origin: 'https://shop.example', workflows: ['orders'], runs: [], waiting: false };

  it('a workflow that is on lacks a site: a warning that names it', () => {
    expect(line('sites', part('grants', { missing: [lack] }))).toMatchObject({
      state: 'warn',
      message: expect.stringContaining('https://shop.example'),
    });
  });

  it('a run waits for one: named with the run, before all others', () => {
    const waited = { origin: 'https://mail.example', workflows: [], runs: ['run-9'], waiting: true };
    const { state, message } = line('sites', part('grants', { missing: [lack, waited] }));
    expect([state, message]).toEqual(['warn', 'Runs wait for access to https://mail.example: run-9.']);
  });
});

describe('the model', () => {
  const account = { id: 'main', provider: 'openai', hasKey: true, needsKey: true, hasAddress: true };

  it.each([
    ['no account, and nothing needs one', { accounts: [], default: undefined, defaultAccount: undefined }, 'warn'],
    ['no account, and a workflow needs one', { accounts: [], unmetModel: ['orders'] }, 'fail'],
    ['no default', { default: undefined, defaultAccount: undefined }, 'warn'],
    ['a default that belongs to no account', { defaultAccount: undefined }, 'fail'],
    ['no key where one is needed', { accounts: [{ ...account, hasKey: false }] }, 'fail'],
    ['no key where none is needed', { accounts: [{ ...account, hasKey: false, needsKey: false }] }, 'ok'],
    ['no address', { accounts: [{ ...account, hasAddress: false }] }, 'fail'],
    ['another account has no key', { accounts: [account, { ...account, id: 'other', hasKey: false }] }, 'warn'],
    ['a workflow names one that cannot be called', { unmetModel: ['orders'] }, 'warn'],
  ] as const)('%s', (_, change, state) => {
    const check = line('model', part('models', change as Parameters<typeof part<'models'>>[1]));
    expect(check.state).toBe(state);
    expect(check.todo !== undefined).toBe(state !== 'ok');
  });

  const call = { ok: false, model: 'fast', message: 'No.', online: true };
  it.each([
    ['the key', { code: 'auth_failed', status: 401 }, /key/],
    ['the name of the model', { code: 'bad_request', status: 404 }, /model’s name/],
    ['the quota', { code: 'quota_exceeded', status: 402 }, /credit/],
    ['no answer', { code: 'network' }, /CORS/],
    ['too slow', { code: 'timeout' }, /loaded/],
    ['a code that has no advice of its own', { code: 'internal' }, /account/],
  ])('the test of the connection fails for %s: says so and what to do', (_, change, todo) => {
    const check = line('connection', {}, { ...call, ...change });
    expect(check).toMatchObject({ state: 'fail', message: 'fast did not answer. No.' });
    expect(check.todo).toMatch(todo);
  });

  it('the browser is offline: that is said instead of blaming the server', () => {
    expect(line('connection', {}, { ...call, code: 'network', online: false }).message).toBe(
      'The browser has no network.',
    );
  });

  it('the test was not asked for: no line', () => {
    expect(judge(healthy(), english).some(({ id }) => id === 'connection')).toBe(false);
  });
});

describe('alarms', () => {
  const alarms = (change: Parameters<typeof part<'alarms'>>[1]) => part('alarms', change);

  it.each([
    ['due in an hour, no alarm', { wakeAt: undefined }, 'fail'],
    ['due in an hour, the alarm an hour later', { wakeAt: NOW + 7_200_000 }, 'fail'],
    ['due in an hour, the alarm sooner', { wakeAt: NOW + 60_000 }, 'ok'],
    ['due now, the alarm in the 30 s that browsers enforce', { due: NOW, wakeAt: NOW + 30_000 }, 'ok'],
    ['due now, the alarm in two minutes', { due: NOW, wakeAt: NOW + 120_000 }, 'fail'],
    ['overdue, the alarm in 30 s', { due: NOW - 60_000, wakeAt: NOW + 30_000 }, 'ok'],
    ['nothing due and none set', { due: undefined, wakeAt: undefined }, 'ok'],
  ])('%s', (_, change, state) => {
    expect(line('alarm', alarms(change)).state).toBe(state);
  });

  it.each([
    [true, false, 'fail'],
    [true, true, 'ok'],
    [false, false, 'ok'],
  ])('at work %s, watchdog %s: %s', (running, watchdog, state) => {
    expect(line('watchdog', alarms({ running, watchdog })).state).toBe(state);
  });
});

describe('runs', () => {
  it('the emergency stop is on: a warning', () => {
    expect(line('stop', part('runs', { stopped: true })).state).toBe('warn');
  });

  it('unfinished runs: says how many wait for a person, and how many are paused', () => {
    const change = { unfinished: 5, paused: 1, waiting: { approval: 1, recovery: 1, timer: 1 } };
    expect(line('runs', part('runs', change)).message).toBe('5 runs are unfinished. 2 wait for you. 1 is paused.');
  });

  it('a run says that it runs with nothing at work: failed, with its id', () => {
    expect(line('stuck', part('runs', { stuck: ['run-1'] }))).toMatchObject({
      state: 'fail',
      message: expect.stringContaining('run-1'),
    });
  });

  it('a run cannot be read: failed, with its id and that it can be cancelled', () => {
    const check = line('stuck', part('runs', { unread: ['run-2'] }));
    expect(check).toMatchObject({ state: 'fail', message: expect.stringContaining('run-2') });
    expect(check.todo).toContain('Cancel');
  });
});
