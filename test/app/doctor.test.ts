import { describe, expect, it } from 'vitest';
import { createMemoryStore, createVirtualClock } from '../../src/adapters/memory/index.ts';
import { createMemorySecretVault } from '../../src/adapters/secrets/index.ts';
import type { Parts } from '../../src/app/boot.ts';
import type { ResponseMessage } from '../../src/app/protocol.ts';
import { Runtime } from '../../src/app/runtime.ts';
import { DUE_ALARM } from '../../src/app/schedule.ts';
import { TabloomError } from '../../src/model/errors.ts';
import type { DatabaseInspector, DatabaseLook } from '../../src/ports/inspector.ts';
import type { DoctorFacts } from '../../src/view/doctor/facts.ts';
import { fakeBrowser, OWN, settle } from './fake.ts';
import { ASK, CLICK, INPUT } from './world.ts';

const LOOK: DatabaseLook = {
  schema: 1,
  newest: 1,
  counts: { runs: 0, events: 0, artifacts: 0, workflows: 0, secrets: 0 },
  unreadableSecrets: 0,
};
const NEWER = new TabloomError('internal', 'It was written by a newer version.', { details: { name: 'VersionError' } });

/** A background whose parts the test may replace, and a way to ask it for its facts while its clock goes on. */
function setUp(change: Partial<Parts> = {}, fake = fakeBrowser()) {
  const clock = createVirtualClock(1_000_000);
  const store = createMemoryStore();
  const inspector: DatabaseInspector = { look: async () => LOOK, probe: async () => undefined };
  const runtime = new Runtime({
    browser: fake.browser,
    store,
    vault: createMemorySecretVault(),
    clock,
    random: { next: () => 0.5, id: () => crypto.randomUUID() },
    inspector,
    ...change,
  });
  const ask = async (name: string, payload: unknown): Promise<unknown> => {
    const answer = (await runtime.onMessage({ tabloom: 1, name, payload }, OWN)) as ResponseMessage;
    if (!answer.ok) throw new Error(answer.error.message);
    return answer.value;
  };
  /** Lets at most 30 s pass, a second at a time, until there is an answer. */
  const facts = async (): Promise<DoctorFacts> => {
    let found: DoctorFacts | undefined;
    const asked = ask('doctor.get', {}).then((value) => {
      found = value as DoctorFacts;
    });
    for (let second = 0; second < 30 && !found; second++) {
      await settle();
      if (!found) clock.advanceTo(clock.now() + 1000);
    }
    if (!found) throw new Error('It did not answer in 30 s.');
    await asked;
    return found;
  };
  const start = async (): Promise<string> => {
    await ask('workflow.import', { source: ASK, enable: true });
    const { runId } = (await ask('run.start', { workflowId: 'ask', input: INPUT })) as { runId: string };
    await settle();
    return runId;
  };
  return { fake, clock, store, runtime, ask, facts, start };
}

const value = <K extends 'journals' | 'grants' | 'models' | 'alarms' | 'runs' | 'database'>(
  facts: DoctorFacts,
  key: K,
) => {
  const part = facts[key];
  if (!part?.ok) throw new Error(`${key}: ${JSON.stringify(part)}`);
  return part.value as Extract<NonNullable<DoctorFacts[K]>, { ok: true }>['value'];
};

describe('facts for the diagnostics', () => {
  it('a run waits for an approval: counted, its journal whole, its expiry and the alarm for it agree', async () => {
    const world = setUp();
    await world.start();
    const facts = await world.facts();
    expect(facts.worker).toMatchObject({ ready: true, recoveredMs: 0, lives: 1, lock: 'unsupported' });
    expect(value(facts, 'runs')).toEqual({
      stopped: false,
      unfinished: 1,
      paused: 0,
      waiting: { approval: 1 },
      stuck: [],
      unread: [],
    });
    expect(value(facts, 'journals')).toEqual({ checked: 1, cut: false, broken: [] });
    const { due, wakeAt } = value(facts, 'alarms');
    expect(due).toBe(1_000_000 + 86_400_000);
    expect(wakeAt).toBe(due);
  });

  it('the alarm for what is due has been lost: that shows', async () => {
    const world = setUp();
    await world.start();
    world.fake.alarms.delete(DUE_ALARM);
    const facts = await world.facts();
    expect(value(facts, 'alarms')).toMatchObject({ due: expect.any(Number), watchdog: false, running: false });
    expect(value(facts, 'alarms').wakeAt).toBeUndefined();
  });

  it.each([
    [
      'changed',
      (events: { data: object }[]) => Object.assign((events[2] as { data: object }).data, { forged: true }),
      3,
    ],
    ['missing in the middle', (events: unknown[]) => events.splice(1, 1), 3],
    ['missing at the end', (events: unknown[]) => events.pop(), -1],
  ] as const)('an event of a journal is %s: the run and the first wrong event are named', async (_, break_, at) => {
    const world = setUp();
    const runId = await world.start();
    const whole = await world.store.events(runId);
    const seq = at === -1 ? whole.length : at;
    const broken = structuredClone(whole);
    (break_ as (events: unknown[]) => void)(broken);
    world.store.events = async () => broken;
    expect(value(await world.facts(), 'journals').broken).toEqual([{ runId, seq }]);
  });

  it('a workflow that is on lacks its site, and one that is off does not count', async () => {
    const world = setUp();
    await world.ask('workflow.import', { source: CLICK, enable: true });
    const off = CLICK.replaceAll('click', 'off').replace('action: off', 'action: click').replace('example', 'off');
    await world.ask('workflow.import', { source: off });
    expect(value(await world.facts(), 'grants')).toEqual({
      granted: [],
      missing: [{ origin: 'https://example.com', workflows: ['click'], runs: [], waiting: false }],
    });
    world.fake.granted.push('https://example.com/*');
    expect(value(await world.facts(), 'grants').missing).toEqual([]);
  });

  it('a run waits for a site that was taken away: the origin, the run, and that it waits', async () => {
    const world = setUp();
    const runId = await world.start();
    const row = await world.store.run(runId);
    const step = (await world.store.steps(runId)).at(-1);
    const wait = { kind: 'permission', since: 1, subject: 'https://gone.example' } as const;
    world.store.runs = async () => [{ ...row, waitingFor: ['permission'] } as never];
    world.store.steps = async () => [{ ...step, status: 'waiting', wait } as never];
    expect(value(await world.facts(), 'grants').missing).toEqual([
      { origin: 'https://gone.example', workflows: [], runs: [runId], waiting: true },
    ]);
  });

  it('model settings: accounts with and without key, what workflows lack, and never a key', async () => {
    const world = setUp();
    const source = ASK.replace('steps:', 'steps:\n  - { id: say, type: recipe, model: fast, prompt: Hello }');
    await world.ask('workflow.import', { source, enable: true });
    const settings = {
      accounts: [
        { id: 'main', provider: 'openai', hasKey: false },
        { id: 'local', provider: 'openai-compatible', baseUrl: 'http://localhost:1/v1', hasKey: false },
      ],
      names: {},
      default: 'main:m',
    };
    await world.ask('models.set', { settings, apiKey: 'sk-planted', account: 'main' });
    const facts = await world.facts();
    expect(value(facts, 'models')).toEqual({
      accounts: [
        { id: 'main', provider: 'openai', hasKey: true, needsKey: true, hasAddress: true },
        { id: 'local', provider: 'openai-compatible', hasKey: false, needsKey: false, hasAddress: true },
      ],
      default: 'main:m',
      defaultAccount: 'main',
      unmetModel: ['ask'],
      unmetSecret: [],
    });
    expect(JSON.stringify(facts)).not.toContain('sk-planted');
  });

  it('a row says that its run runs, though nothing is at work and nothing moves: it stands still', async () => {
    const world = setUp();
    const runId = await world.start();
    const row = { ...(await world.store.run(runId)), status: 'running', waitingFor: [] };
    world.store.runs = async () => [row as never];
    world.store.run = async () => row as never;
    expect(value(await world.facts(), 'runs')).toMatchObject({ stuck: [runId], unread: [] });
  });

  it('an unfinished run that the engine does not have: it could not be read', async () => {
    const world = setUp();
    const row = { runId: 'lost', status: 'waiting', waitingFor: [], revision: 'none' };
    world.store.runs = async ({ status } = {}) => (status ? [row as never] : []);
    world.store.run = async () => row as never;
    world.store.revision = async () => undefined;
    expect(value(await world.facts(), 'runs')).toMatchObject({ unfinished: 1, unread: ['lost'], stuck: [] });
  });

  it('nothing of a run’s input is in the facts', async () => {
    const world = setUp();
    await world.ask('workflow.import', { source: ASK.replace('type: number', 'type: string'), enable: true });
    const source = `format: tabloom/v1
id: say
name: Say
inputs: { type: object, properties: { word: { type: string } } }
steps:
  - { id: gate, type: approval, title: "Send {{workflow_input.word}}?" }
`;
    await world.ask('workflow.import', { source, enable: true });
    await world.ask('run.start', { workflowId: 'say', input: { word: 'planted-input-value' } });
    await settle();
    const facts = await world.facts();
    expect(value(facts, 'runs').unfinished).toBe(1);
    expect(JSON.stringify(facts)).not.toContain('planted-input-value');
  });
});

describe('a background that cannot start', () => {
  it('the database does not open: answers with the reason, and has no part that needs it', async () => {
    const store = createMemoryStore();
    store.setting = () => Promise.reject(NEWER);
    const inspector = { look: () => Promise.reject(NEWER), probe: async () => undefined };
    const facts = await setUp({ store, inspector }).facts();
    const fault = { code: 'internal', name: 'VersionError', message: NEWER.message };
    expect(facts.worker).toMatchObject({ ready: false, bootFault: fault });
    expect(facts.database).toEqual({ ok: false, fault });
    expect(Object.keys(facts).sort()).toEqual(['browser', 'database', 'extension', 'now', 'worker']);
  });

  it('the database never answers: answers all the same, and blames nothing that it does not know', async () => {
    const store = createMemoryStore();
    store.setting = () => new Promise(() => undefined);
    const inspector = { look: () => new Promise<never>(() => undefined), probe: async () => undefined };
    const facts = await setUp({ store, inspector }).facts();
    expect(facts.worker).toMatchObject({ ready: false });
    expect(facts.worker.bootFault).toBeUndefined();
    expect(facts.database).toMatchObject({ ok: false, fault: { code: 'timeout' } });
  });

  it('another instance holds the engine’s lock: that is said', async () => {
    const locks = { request: () => new Promise<never>(() => undefined) } as never;
    expect((await setUp({ locks }).facts()).worker).toMatchObject({ ready: false, lock: 'waiting' });
  });

  it('the next start succeeds: the fault of the one before is told, over lives of the worker', async () => {
    const fake = fakeBrowser();
    const store = createMemoryStore();
    const setting = store.setting.bind(store);
    let broken = true;
    store.setting = (key) => (broken ? Promise.reject(NEWER) : setting(key));
    const first = setUp({ store }, fake);
    first.runtime.wake();
    await settle();
    broken = false;
    const facts = await setUp({ store }, fake).facts();
    expect(facts.worker).toMatchObject({
      ready: true,
      lives: 2,
      lastFault: { message: expect.stringContaining(NEWER.message) },
    });
  });
});

describe('browser and extension', () => {
  it('the browser says its name and version itself: taken from there, with the minimum of the manifest', async () => {
    const fake = fakeBrowser();
    fake.browser.runtime.getBrowserInfo = async () => ({ name: 'Firefox', version: '140.3.0' });
    fake.browser.runtime.getManifest = () => ({
      version: '1.2.3',
      browser_specific_settings: { gecko: { id: 'a@b', strict_min_version: '140.0' } },
    });
    const facts = await setUp({}, fake).facts();
    expect(facts.browser).toEqual({ name: 'Firefox', version: '140.3.0', minimum: '140.0' });
    expect(facts.extension).toMatchObject({ version: '1.2.3', fixedId: true, build: 'production', incognito: false });
  });

  it('unpacked without a key, and built for developing: both are told', async () => {
    const fake = fakeBrowser();
    fake.browser.management = { getSelf: async () => ({ installType: 'development' }) };
    const facts = await setUp({ production: false }, fake).facts();
    expect(facts.extension).toMatchObject({ install: 'development', fixedId: false, build: 'development' });
  });
});
