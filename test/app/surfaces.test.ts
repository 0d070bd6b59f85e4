import { describe, expect, it } from 'vitest';
import { type Requests, UPDATES_PORT } from '../../src/app/protocol.ts';
import { fakePort, OWN, settle } from './fake.ts';
import { decide, INPUT, setUp, started } from './world.ts';

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
    expect(await world.ask('run.start', { workflowId: 'ask', input: INPUT })).toMatchObject({
      refused: { code: 'emergency_stop' },
    });
    expect(await decide(world)).toMatchObject({ code: 'emergency_stop' });
    expect(world.fake.badge.title).toContain('Stopped');
    expect(await world.restart().ask('state.get', {})).toMatchObject({ stopped: true });
    expect(await world.ask('engine.stopAll', { lift: true })).toEqual({ stopped: false });
    expect(
      await world.ask('command.send', {
        commandId: 'r',
        surface: 'app',
        command: { type: 'resume', runId: (await world.ask('state.get', {})).live[0]?.runId ?? '' },
      }),
    ).toEqual({ ok: true });
  });

  it('the same command twice: the same answer', async () => {
    const world = setUp();
    await started(world);
    const { approvals } = await world.ask('state.get', {});
    const { runId = '', path = '', hash = '' } = approvals[0] ?? {};
    const payload: Requests['command.send']['in'] = {
      commandId: 'same',
      surface: 'app',
      command: { type: 'decide', runId, path, hash, decision: 'rejected' },
    };
    expect(await world.ask('command.send', payload)).toEqual(await world.ask('command.send', payload));
    expect(
      await world.ask('command.send', {
        ...payload,
        commandId: 'other',
        command: { type: 'decide', runId, path, hash, decision: 'approved' },
      }),
    ).toMatchObject({ code: 'already_decided' });
  });

  it('large values: in place up to 256 KB, by their hash beyond', async () => {
    const world = setUp();
    const source = (letters: number) => `format: tabloom/v1
id: large
name: Large
steps:
  - { id: text, type: deterministic_command, operation: identity, arguments: { value: "${'x'.repeat(letters)}" } }
`;
    for (const [letters, inline] of [
      [20_000, true],
      [300_000, false],
    ] as const) {
      await world.ask('workflow.import', { source: source(letters), enable: true });
      const answer = await world.ask('run.start', { workflowId: 'large', input: {} });
      await settle();
      const detail = await world.ask('run.get', { runId: (answer as { runId: string }).runId });
      const [step] = detail?.steps ?? [];
      expect(typeof step?.output === 'string').toBe(inline);
      if (!inline)
        expect((await world.ask('blob.get', { hash: step?.outputRef?.hash ?? '' }))?.text).toHaveLength(letters + 2);
      else expect(step?.outputRef).toBeUndefined();
    }
    expect(await world.ask('blob.get', { hash: '0'.repeat(64) })).toBeNull();
  });

  it('an artifact: its bytes as base64, whatever its size', async () => {
    const world = setUp();
    const content = 'äöü'.repeat(30_000);
    await world.ask('workflow.import', {
      enable: true,
      source: JSON.stringify({
        format: 'tabloom/v1',
        id: 'file',
        name: 'File',
        steps: [{ id: 'keep', type: 'artifact', name: 'a.txt', content }],
      }),
    });
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
      accounts: [
        { id: 'local', provider: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1', hasKey: false },
        { id: 'oa', provider: 'openai', hasKey: false },
      ],
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

  it.each([
    ['run/r1', 'app.html#/runs/r1'],
    ['wait/r%2F1/each[0]/send', 'app.html#/runs/r%2F1'],
    ['approval/a1', 'app.html#/approvals'],
  ])('a click on the notification %s: %s', async (id, opened) => {
    const { fake, runtime } = setUp();
    runtime.onNotificationClicked(id);
    await settle();
    expect(fake.opened).toEqual([opened]);
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
