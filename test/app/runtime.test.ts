import { describe, expect, it } from 'vitest';
import { createMemoryStore, createVirtualClock, type MemoryStore, seededRandom, type VirtualClock } from '../../src/adapters/memory/index.ts';
import { createMemorySecretVault } from '../../src/adapters/secrets/index.ts';
import type { Sender } from '../../src/app/browser-api.ts';
import { UPDATES_PORT, type RequestName, type Requests, type ResponseMessage } from '../../src/app/protocol.ts';
import { Runtime } from '../../src/app/runtime.ts';
import { DUE_ALARM } from '../../src/app/schedule.ts';
import { type FakeBrowser, fakeBrowser, fakePort, OWN, settle } from './fake.ts';

const ASK = `format: tabloom/v1
id: ask
name: Ask first
inputs: { type: object, required: [n], properties: { n: { type: number } } }
steps:
  - { id: sum, type: deterministic_command, operation: list.sum, arguments: { items: ["{{workflow_input.n}}", 2] } }
  - { id: gate, type: approval, title: "Send {{step.sum}}?", message: Look, risk: reversible }
output: { total: "{{step.sum}}" }
`;
const CLICK = `format: tabloom/v1
id: click
name: Click
sites: ["https://example.com/*"]
steps:
  - { id: press, type: browser_action, action: click, arguments: { target: { css: button } } }
`;

const INPUT = { n: 3 };

interface World {
  fake: FakeBrowser;
  store: MemoryStore;
  clock: VirtualClock;
  runtime: Runtime;
  ask<K extends RequestName>(name: K, payload: Requests[K]['in'], sender?: Sender): Promise<Requests[K]['out']>;
  /** Another worker on the same store and browser, as after a stop. */
  restart(): World;
}

function setUp(before: Partial<Pick<World, 'fake' | 'store' | 'clock'>> = {}, locks?: Pick<LockManager, 'request'>): World {
  const { fake = fakeBrowser(), store = createMemoryStore(), clock = createVirtualClock(1_000_000) } = before;
  const runtime = new Runtime({ browser: fake.browser, store, vault: createMemorySecretVault(), clock, random: seededRandom(clock.now()), locks });
  return {
    fake, store, clock, runtime,
    async ask(name, payload, sender = OWN) {
      const answer = (await runtime.onMessage({ tabloom: 1, name, payload }, sender)) as ResponseMessage | undefined;
      if (!answer) throw new Error('ignored');
      if (!answer.ok) throw new Error(answer.error.code);
      return answer.value as never;
    },
    restart: () => setUp({ fake, store, clock: createVirtualClock(clock.now() + 1) }),
  };
}

async function started(world: World): Promise<string> {
  await world.ask('workflow.import', { source: ASK, enable: true });
  const answer = await world.ask('run.start', { workflowId: 'ask', input: INPUT });
  if (!('runId' in answer)) throw new Error(answer.refused.code);
  await settle();
  return answer.runId;
}

async function decide(world: World, commandId = 'c1') {
  const [approval] = (await world.ask('state.get', {})).approvals;
  if (!approval) throw new Error('nothing to decide');
  const { runId, path, hash } = approval;
  return world.ask('command.send', { commandId, surface: 'popup', command: { type: 'decide', runId, path, hash, decision: 'approved' } });
}

describe('from import to the end of a run', () => {
  it('imported off, switched on, started, approved, completed', async () => {
    const world = setUp();
    expect(await world.ask('workflow.import', { source: ASK })).toMatchObject({ workflowId: 'ask', enabled: false, problems: [] });
    expect(await world.ask('run.start', { workflowId: 'ask', input: INPUT })).toMatchObject({ refused: { code: 'workflow_disabled' } });
    expect(await world.ask('workflow.enable', { workflowId: 'ask', enabled: true })).toEqual({ enabled: true });
    const answer = await world.ask('run.start', { workflowId: 'ask', input: INPUT });
    await settle();
    const state = await world.ask('state.get', {});
    expect(state).toMatchObject({ stopped: false, approvals: [{ title: 'Send 5?' }], live: [{ status: 'waiting', input: {} }], workflows: [{ lastRunAt: 1_000_000 }] });
    expect(world.fake.badge.text).toBe('1');
    expect(await decide(world)).toMatchObject({ ok: true });
    await settle();
    const runId = (answer as { runId: string }).runId;
    expect((await world.ask('run.get', { runId }))?.run).toMatchObject({ status: 'completed', output: { total: 5 }, input: INPUT });
    expect((await world.ask('state.get', {})).history).toMatchObject([{ runId, status: 'completed' }]);
    const { events } = await world.ask('run.events', { runId });
    expect(events.find(({ type }) => type === 'approval.decided')?.data).toMatchObject({ approval: { decision: { by: 'person', surface: 'popup' } } });
  });

  it('a file with errors: refused with all of them, nothing kept', async () => {
    const { ask } = setUp();
    const source = ASK.replace('list.sum', 'rm -rf').replace('step.sum}}?', 'step.none}}?');
    const answer = await ask('workflow.import', { source, enable: true });
    if (!('refused' in answer)) throw new Error('it was taken');
    expect(answer.refused.problems.map(({ code }) => code)).toContain('operation_forbidden');
    expect(answer.refused.problems.every(({ line }) => line !== undefined)).toBe(true);
    expect((await ask('state.get', {})).workflows).toEqual([]);
  });

  it('a new revision saved without a word on switching: stays on, and names the one before', async () => {
    const { ask, store } = setUp();
    const first = await ask('workflow.import', { source: ASK, enable: true });
    const second = await ask('workflow.import', { source: ASK.replace('Look', 'Look well') });
    if (!('revision' in first && 'revision' in second)) throw new Error('refused');
    expect(second.enabled).toBe(true);
    expect((await store.revision(second.revision))?.parent).toBe(first.revision);
    expect(await ask('workflow.import', { source: ASK, enable: false })).toMatchObject({ enabled: false });
  });

  it('a start that lacks input, grant and model: all problems at once, no run', async () => {
    const { ask } = setUp();
    const source = `${ASK.replace('steps:', 'sites: ["https://example.com/*"]\nsteps:\n  - { id: say, type: recipe, prompt: Hello }')}`;
    await ask('workflow.import', { source, enable: true });
    const answer = await ask('run.start', { workflowId: 'ask', input: {} });
    if (!('refused' in answer)) throw new Error('it was started');
    expect(answer.refused.code).toBe('preflight_failed');
    expect(answer.refused.problems.map(({ code }) => code).sort()).toEqual(['input_invalid', 'model_not_configured', 'site_not_granted']);
    expect((await ask('state.get', {})).live).toEqual([]);
  });

  it('two starts at the same moment with one key: one run; another input is a conflict', async () => {
    const { ask } = setUp();
    await ask('workflow.import', { source: ASK, enable: true });
    const both = await Promise.all([1, 2].map(() => ask('run.start', { workflowId: 'ask', input: INPUT, key: 'k' })));
    expect(both[0]).toEqual(both[1]);
    expect(await ask('run.start', { workflowId: 'ask', input: { n: 4 }, key: 'k' })).toMatchObject({ refused: { code: 'key_conflict' } });
    await ask('workflow.enable', { workflowId: 'ask', enabled: false });
    expect(await ask('run.start', { workflowId: 'ask', input: INPUT, key: 'k' })).toEqual(both[0]);
    expect((await ask('state.get', {})).live).toHaveLength(1);
  });

  it('started on a tab: its page is the run’s first tab where the workflow may touch it, and unknown to the run elsewhere', async () => {
    const { ask, fake } = setUp();
    fake.granted = ['https://example.com/*', 'https://other.example/*'];
    fake.tabs.set(5, { id: 5, url: 'https://example.com/list', title: 'List', windowId: 2 }).set(6, { id: 6, url: 'https://other.example/', title: 'Mail', windowId: 2 });
    await ask('workflow.import', { source: CLICK, enable: true });
    expect((await ask('state.get', { tabId: 5 })).forTab).toEqual(['click']);
    expect((await ask('state.get', { tabId: 6 })).forTab).toEqual([]);
    const runs = [];
    for (const tabId of [5, 6, 77]) {
      const answer = await ask('run.start', { workflowId: 'click', input: {}, tabId });
      runs.push((await ask('run.get', { runId: (answer as { runId: string }).runId }))?.run);
    }
    expect(runs[0]?.trigger).toEqual({ type: 'manual', url: 'https://example.com/list', title: 'List' });
    expect(runs[0]?.tabs?.list).toMatchObject([{ tab: 't1', browserTabId: 5, url: 'https://example.com/list' }]);
    for (const run of runs.slice(1)) expect([run?.trigger, run?.tabs?.list]).toEqual([{ type: 'manual' }, []]);
  });
});

describe('a worker that dies', () => {
  it('while an approval waits: the next one has the same, arms its expiry, and takes the decision', async () => {
    const first = setUp();
    const runId = await started(first);
    const before = (await first.ask('state.get', {})).approvals;
    first.fake.alarms.clear();
    const second = first.restart();
    expect((await second.ask('state.get', {})).approvals).toEqual(before);
    await settle();
    expect(second.fake.alarms.get(DUE_ALARM)?.when).toBe(before[0]?.expiresAt);
    await decide(second);
    await settle();
    expect((await second.ask('run.get', { runId }))?.run.status).toBe('completed');
  });

  it('the alarm wakes the next one after the expiry: the run fails, the badge says so', async () => {
    const first = setUp();
    const runId = await started(first);
    const later = setUp({ fake: first.fake, store: first.store, clock: createVirtualClock(first.clock.now() + 25 * 3_600_000) });
    later.runtime.onAlarm(DUE_ALARM);
    await settle();
    expect((await later.store.run(runId))?.error?.code).toBe('approval_expired');
    expect(later.fake.badge.text).toBe('!');
    expect((await later.ask('state.get', {})).approvals).toEqual([]);
    await settle();
    expect(later.fake.badge.text).toBe('');
  });

  it('an early message waits for recovery; a second instance waits for the first to be gone', async () => {
    let free: () => void = () => undefined;
    const locks = { request: (_: string, got: () => Promise<unknown>) => new Promise((resolve) => { free = () => resolve(got()); }) } as unknown as Pick<LockManager, 'request'>;
    const { ask } = setUp({}, locks);
    let answered = false;
    const asked = ask('state.get', {}).then(() => {
      answered = true;
    });
    await settle();
    expect(answered).toBe(false);
    expect(await ask('health.get', {})).toEqual({ version: '1.2.3', ready: false, unfinished: 0 });
    free();
    await asked;
    expect(await ask('health.get', {})).toMatchObject({ ready: true });
  });

  it('a store that cannot be opened: the request says so, and the next one tries again', async () => {
    const world = setUp();
    const setting = world.store.setting;
    world.store.setting = () => Promise.reject(new Error('disk full'));
    await expect(world.ask('state.get', {})).rejects.toThrow('internal');
    world.store.setting = setting;
    expect(await world.ask('state.get', {})).toMatchObject({ approvals: [] });
  });
});

describe('grants', () => {
  it('a grant lost in mid-run: the run waits, says so, and goes on when it is given again', async () => {
    const { ask, fake, runtime } = setUp();
    fake.granted = ['https://example.com/*'];
    fake.tabs.set(5, { id: 5, url: 'https://example.com/list', title: 'List', windowId: 2 });
    await ask('workflow.import', { source: CLICK, enable: true });
    // The person takes the grant back after the start has been checked and before the step acts.
    const get = fake.browser.tabs.get;
    let looks = 0;
    fake.browser.tabs.get = (id) => {
      looks += 1;
      if (looks === 2) fake.granted = [];
      return get(id);
    };
    await ask('run.start', { workflowId: 'click', input: {}, tabId: 5 });
    await settle();
    const { waiting } = await ask('state.get', {});
    expect(waiting).toMatchObject([{ path: 'press', kind: 'permission', subject: 'https://example.com' }]);
    fake.granted = ['https://other.example/*'];
    runtime.onGrants();
    await settle();
    expect((await ask('state.get', {})).waiting).toHaveLength(1);
    fake.browser.scripting.executeScript = () => new Promise(() => undefined);
    fake.granted = ['https://example.com/*'];
    runtime.onGrants();
    await settle();
    expect(await ask('state.get', {})).toMatchObject({ waiting: [], live: [{ status: 'running' }] });
  });
});

describe('what surfaces rely on', () => {
  it('an update port of our page is told of a commit; one of a content script, or of another name, is closed', async () => {
    const world = setUp();
    const port = fakePort(UPDATES_PORT, OWN);
    const foreign = fakePort(UPDATES_PORT, { id: OWN.id, url: 'https://example.com/', frameId: 0, tab: { id: 3 } });
    const other = fakePort('other', OWN);
    for (const one of [port, foreign, other]) world.runtime.onConnect(one);
    const runId = await started(world);
    world.clock.advanceTo(world.clock.now() + 50);
    expect(port.sent).toContainEqual(expect.objectContaining({ type: 'changed', runId }));
    expect([foreign.closed, foreign.sent, other.closed]).toEqual([true, [], true]);
  });

  it('the emergency stop, by message or by key: starts and decisions are refused until it is lifted', async () => {
    const world = setUp();
    await started(world);
    world.runtime.onCommand('stop-all', undefined);
    await settle();
    expect(await world.ask('state.get', {})).toMatchObject({ stopped: true, live: [{ status: 'paused' }] });
    expect(await world.ask('run.start', { workflowId: 'ask', input: INPUT })).toMatchObject({ refused: { code: 'emergency_stop' } });
    expect(await decide(world)).toMatchObject({ code: 'emergency_stop' });
    expect(world.fake.badge.title).toContain('Stopped');
    expect(await world.restart().ask('state.get', {})).toMatchObject({ stopped: true });
    expect(await world.ask('engine.stopAll', { lift: true })).toEqual({ stopped: false });
    expect(await world.ask('command.send', { commandId: 'r', surface: 'app', command: { type: 'resume', runId: (await world.ask('state.get', {})).live[0]?.runId ?? '' } })).toEqual({ ok: true });
  });

  it('the same command twice: the same answer', async () => {
    const world = setUp();
    await started(world);
    const { approvals } = await world.ask('state.get', {});
    const { runId = '', path = '', hash = '' } = approvals[0] ?? {};
    const payload: Requests['command.send']['in'] = { commandId: 'same', surface: 'app', command: { type: 'decide', runId, path, hash, decision: 'rejected' } };
    expect(await world.ask('command.send', payload)).toEqual(await world.ask('command.send', payload));
    expect(await world.ask('command.send', { ...payload, commandId: 'other', command: { type: 'decide', runId, path, hash, decision: 'approved' } })).toMatchObject({ code: 'already_decided' });
  });

  it('large values: in place up to 256 KB, by their hash beyond', async () => {
    const world = setUp();
    const source = (letters: number) => `format: tabloom/v1
id: large
name: Large
steps:
  - { id: text, type: deterministic_command, operation: identity, arguments: { value: "${'x'.repeat(letters)}" } }
`;
    for (const [letters, inline] of [[20_000, true], [300_000, false]] as const) {
      await world.ask('workflow.import', { source: source(letters), enable: true });
      const answer = await world.ask('run.start', { workflowId: 'large', input: {} });
      await settle();
      const detail = await world.ask('run.get', { runId: (answer as { runId: string }).runId });
      const [step] = detail?.steps ?? [];
      expect(typeof step?.output === 'string').toBe(inline);
      if (!inline) expect((await world.ask('blob.get', { hash: step?.outputRef?.hash ?? '' }))?.text).toHaveLength(letters + 2);
      else expect(step?.outputRef).toBeUndefined();
    }
    expect(await world.ask('blob.get', { hash: '0'.repeat(64) })).toBeNull();
  });

  it('an artifact: its bytes as base64, whatever its size', async () => {
    const world = setUp();
    const content = 'äöü'.repeat(30_000);
    await world.ask('workflow.import', { enable: true, source: JSON.stringify({ format: 'tabloom/v1', id: 'file', name: 'File', steps: [{ id: 'keep', type: 'artifact', name: 'a.txt', content }] }) });
    const answer = await world.ask('run.start', { workflowId: 'file', input: {} });
    await settle();
    const [row] = (await world.ask('run.get', { runId: (answer as { runId: string }).runId }))?.artifacts ?? [];
    const got = await world.ask('artifact.get', { artifactId: row?.artifactId ?? '' });
    expect(Buffer.from(got?.base64 ?? '', 'base64').toString('utf8')).toBe(content);
    expect(await world.ask('artifact.get', { artifactId: 'none' })).toBeNull();
  });

  it('drafts outlive the worker; the oldest of many go, an empty one is gone', async () => {
    const world = setUp();
    for (let index = 0; index < 60; index++) {
      await world.ask('draft.set', { key: `k${index}`, text: `text ${index}` });
      world.clock.advanceTo(world.clock.now() + 1);
    }
    await world.ask('draft.set', { key: 'k59', text: '' });
    const next = world.restart();
    const texts = await Promise.all(['k9', 'k10', 'k58', 'k59'].map((key) => next.ask('draft.get', { key })));
    expect(texts.map(({ text }) => text)).toEqual(['', 'text 10', 'text 58', '']);
  });

  it('model settings: keys stay in the vault, an account that goes takes its key along', async () => {
    const { ask } = setUp();
    const settings: Requests['models.set']['in']['settings'] = {
      accounts: [{ id: 'local', provider: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1', hasKey: false }, { id: 'oa', provider: 'openai', hasKey: false }],
      names: { fast: 'oa:gpt' },
      default: 'fast',
    };
    expect((await ask('state.get', {})).model).toEqual({ configured: false, label: '' });
    await ask('models.set', { settings, apiKey: ' sk-test ' });
    expect((await ask('models.get', {})).accounts.map(({ hasKey }) => hasKey)).toEqual([false, true]);
    expect((await ask('state.get', {})).model).toEqual({ configured: true, label: 'oa:gpt' });
    expect((await ask('secrets.list', {})).names).toEqual(['model:oa']);
    expect(JSON.stringify(await ask('models.get', {}))).not.toContain('sk-test');
    await ask('models.set', { settings: { accounts: settings.accounts.slice(0, 1), names: {} } });
    expect((await ask('secrets.list', {})).names).toEqual([]);
    expect(await ask('models.test', {})).toMatchObject({ ok: false });
  });

  it('the first install: the welcome page; an update, or a profile that wants quiet: nothing', async () => {
    const { fake, runtime } = setUp();
    runtime.onInstalled('update');
    await settle();
    expect(fake.opened).toEqual([]);
    runtime.onInstalled('install');
    await settle();
    expect(fake.opened).toEqual(['app.html#/welcome']);
    fake.local['tabloom.quiet'] = true;
    runtime.onInstalled('install');
    await settle();
    expect(fake.opened).toHaveLength(1);
  });
});
