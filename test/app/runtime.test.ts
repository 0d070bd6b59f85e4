import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../src/adapters/memory/index.ts';
import { DUE_ALARM } from '../../src/app/schedule.ts';
import { settle } from './fake.ts';
import { ASK, CLICK, decide, INPUT, setUp, started } from './world.ts';

describe('from import to the end of a run', () => {
  it('imported off, switched on, started, approved, completed', async () => {
    const world = setUp();
    expect(await world.ask('workflow.import', { source: ASK })).toMatchObject({
      workflowId: 'ask',
      enabled: false,
      problems: [],
    });
    expect(await world.ask('run.start', { workflowId: 'ask', input: INPUT })).toMatchObject({
      refused: { code: 'workflow_disabled' },
    });
    expect(await world.ask('workflow.enable', { workflowId: 'ask', enabled: true })).toEqual({ enabled: true });
    const answer = await world.ask('run.start', { workflowId: 'ask', input: INPUT });
    await settle();
    const state = await world.ask('state.get', {});
    expect(state).toMatchObject({
      stopped: false,
      approvals: [{ title: 'Send 5?' }],
      live: [{ status: 'waiting', input: {} }],
      workflows: [{ lastRunAt: 1_000_000 }],
    });
    expect(world.fake.badge.text).toBe('1');
    expect(await decide(world)).toMatchObject({ ok: true });
    await settle();
    const runId = (answer as { runId: string }).runId;
    expect((await world.ask('run.get', { runId }))?.run).toMatchObject({
      status: 'completed',
      output: { total: 5 },
      input: INPUT,
    });
    expect((await world.ask('state.get', {})).history).toMatchObject([{ runId, status: 'completed' }]);
    const { events } = await world.ask('run.events', { runId });
    expect(events.find(({ type }) => type === 'approval.decided')?.data).toMatchObject({
      approval: { decision: { by: 'person', surface: 'popup' } },
    });
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

  it('a new revision of a workflow that is on, without a word on switching: arrives off, and names the one before', async () => {
    const { ask, store } = setUp();
    const first = await ask('workflow.import', { source: ASK, enable: true });
    expect(await ask('workflow.import', { source: ASK })).toMatchObject({ enabled: true });
    const second = await ask('workflow.import', { source: ASK.replace('Look', 'Look well') });
    if (!('revision' in first && 'revision' in second)) throw new Error('refused');
    expect(second.enabled).toBe(false);
    expect((await store.revision(second.revision))?.parent).toBe(first.revision);
    expect(await ask('run.start', { workflowId: 'ask', input: INPUT })).toMatchObject({
      refused: { code: 'workflow_disabled' },
    });
    expect(await ask('workflow.import', { source: ASK, enable: true })).toMatchObject({ enabled: true });
    expect(await ask('workflow.import', { source: ASK, enable: false })).toMatchObject({ enabled: false });
  });

  it('a start that lacks input, grant and model: all problems at once, no run', async () => {
    const { ask } = setUp();
    const source = `${ASK.replace('steps:', 'sites: ["https://example.com/*"]\nsteps:\n  - { id: say, type: recipe, prompt: Hello }')}`;
    await ask('workflow.import', { source, enable: true });
    const answer = await ask('run.start', { workflowId: 'ask', input: {} });
    if (!('refused' in answer)) throw new Error('it was started');
    expect(answer.refused.code).toBe('preflight_failed');
    expect(answer.refused.problems.map(({ code }) => code).sort()).toEqual([
      'input_invalid',
      'model_not_configured',
      'site_not_granted',
    ]);
    expect((await ask('state.get', {})).live).toEqual([]);
  });

  it('a start that is only warned of: it begins', async () => {
    const { ask, fake } = setUp();
    fake.granted.push('https://example.com/*');
    const shot = [
      '  - { id: first, type: approval, title: "Take it?" }',
      '  - { id: shot, type: browser_action, action: screenshot }',
    ].join('\n');
    await ask('workflow.import', {
      source: ASK.replace('steps:', `sites: ["https://example.com/*"]\nsteps:\n${shot}`),
      enable: true,
    });
    const read = await ask('workflow.get', { workflowId: 'ask' });
    expect(read?.problems).toMatchObject([{ code: 'site_not_granted', severity: 'warning' }]);
    expect(await ask('run.start', { workflowId: 'ask', input: INPUT })).toHaveProperty('runId');
  });

  it('two starts at the same moment with one key: one run; another input is a conflict', async () => {
    const { ask } = setUp();
    await ask('workflow.import', { source: ASK, enable: true });
    const both = await Promise.all([1, 2].map(() => ask('run.start', { workflowId: 'ask', input: INPUT, key: 'k' })));
    expect(both[0]).toEqual(both[1]);
    expect(await ask('run.start', { workflowId: 'ask', input: { n: 4 }, key: 'k' })).toMatchObject({
      refused: { code: 'key_conflict' },
    });
    await ask('workflow.enable', { workflowId: 'ask', enabled: false });
    expect(await ask('run.start', { workflowId: 'ask', input: INPUT, key: 'k' })).toEqual(both[0]);
    expect((await ask('state.get', {})).live).toHaveLength(1);
  });

  it('the worker is being ended while a run is started on a tab: no run begins without its page', async () => {
    const { ask, fake, store } = setUp();
    fake.granted = ['https://example.com/*'];
    await ask('workflow.import', { source: CLICK, enable: true });
    const refuse = () => Promise.reject(new Error('No SW'));
    fake.browser.tabs.get = refuse;
    fake.browser.runtime.getPlatformInfo = refuse;
    void ask('run.start', { workflowId: 'click', input: {}, tabId: 5 });
    await settle();
    expect(await store.runs()).toEqual([]);
  });

  it('started on a tab: its page is the run’s first tab where the workflow may touch it, and unknown to the run elsewhere', async () => {
    const { ask, fake } = setUp();
    fake.granted = ['https://example.com/*', 'https://other.example/*'];
    fake.tabs
      .set(5, { id: 5, url: 'https://example.com/list', title: 'List', windowId: 2 })
      .set(6, { id: 6, url: 'https://other.example/', title: 'Mail', windowId: 2 });
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
    const later = setUp({
      fake: first.fake,
      store: first.store,
      clock: createVirtualClock(first.clock.now() + 25 * 3_600_000),
    });
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
    const locks = {
      request: (_: string, got: () => Promise<unknown>) =>
        new Promise((resolve) => {
          free = () => resolve(got());
        }),
    } as unknown as Pick<LockManager, 'request'>;
    const { ask } = setUp({}, locks);
    let answered = false;
    const asked = ask('state.get', {}).then(() => {
      answered = true;
    });
    await settle();
    expect(answered).toBe(false);
    expect(await ask('health.get', {})).toEqual({
      version: '1.2.3',
      ready: false,
      unfinished: 0,
      storage: null,
      // Under Node, where these tests run, nothing forbids it.
      dynamicCode: 'allowed',
      life: { began: 1_000_000 },
    });
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
