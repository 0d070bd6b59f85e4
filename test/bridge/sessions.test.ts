import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TAKEN_BACK } from '../../src/adapters/link/connect.ts';
import { TabloomError } from '../../src/model/errors.ts';
import { Desk } from './desk.ts';

const BUTTON = { target: { role: 'button', name: 'Buy' } };

let desk: Desk;
beforeEach(() => {
  desk = new Desk();
});
afterEach(() => desk.engine.dispose());

const codeOf = (asked: Promise<unknown>) =>
  asked.then(
    (value) => `done: ${JSON.stringify(value)}`,
    (error: unknown) => (error instanceof TabloomError ? error.code : String(error)),
  );

describe('a client in the browser', () => {
  it('has one run for all its calls, named by it, on the sites that are granted', async () => {
    desk.outside = ({ action }) => ({ did: action });
    expect(await desk.call('browser_navigate', { url: 'https://shop.example/' })).toMatchObject({
      ended: true,
      status: 'completed',
      output: { did: 'navigate' },
    });
    expect(await desk.call('browser_snapshot')).toMatchObject({ output: { did: 'snapshot' } });
    expect(await desk.call('browser_fill', { target: { label: 'Name' }, value: 'Ann', tab: 't1' })).toMatchObject({
      output: { did: 'fill' },
    });
    expect(desk.acts.map(({ path }) => path)).toEqual([
      'session[1]/browser_navigate',
      'session[3]/browser_snapshot',
      'session[5]/browser_fill',
    ]);
    expect(desk.acts.at(-1)).toMatchObject({ sites: ['https://shop.example/*'], tab: 't1' });
    expect(await desk.run()).toMatchObject({ workflowName: 'Test client', status: 'waiting', waitingFor: ['signal'] });
    // It is in no list of workflows, and no file can name it.
    expect(await desk.store.workflows()).toEqual([]);
  });

  it('asks a person before what must not be done twice, and shows the very call', async () => {
    const clicked = desk.call('browser_click', BUTTON);
    expect(await desk.asked()).toMatchObject({
      title: 'Test client: browser_click',
      message: 'The MCP client Test client wants to do this.',
      risk: 'irreversible',
      covers: [{ action: 'click', arguments: BUTTON }],
    });
    expect(desk.acts).toEqual([]);
    await desk.decide('approved');
    expect(await clicked).toMatchObject({ ended: true });
    expect(desk.acts).toHaveLength(1);
  });

  it('goes on after a no, an error, a secret and a wrong argument', async () => {
    const clicked = codeOf(desk.call('browser_click', BUTTON));
    await desk.decide('rejected');
    expect(await clicked).toBe('approval_rejected');
    desk.outside = () => {
      throw new TabloomError('element_not_found', 'There is no such element.');
    };
    const failing = codeOf(desk.call('browser_hover', BUTTON));
    expect(await failing).toBe('element_not_found');
    expect(await codeOf(desk.call('browser_click', { target: {} }))).toBe('input_invalid');
    expect(await codeOf(desk.call('run_other', {}))).toBe('tool_unknown');
    const token = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    expect(await codeOf(desk.call('browser_fill', { target: { label: 'x' }, value: token }))).toBe('secret_detected');
    desk.outside = () => ({ text: `the token is ${token}` });
    const seen = await desk.call('browser_snapshot');
    expect(JSON.stringify(seen)).not.toContain(token);
    expect(seen).toMatchObject({ ended: true, output: { text: expect.stringContaining('[redacted:') } });
    expect(await desk.run()).toMatchObject({ status: 'waiting' });
  });

  it('carries calls out one after another, whatever comes at once', async () => {
    let open = 0;
    let most = 0;
    desk.outside = async () => {
      most = Math.max(most, ++open);
      await Promise.resolve();
      open -= 1;
      return {};
    };
    await Promise.all(Array.from({ length: 6 }, () => desk.call('browser_snapshot')));
    expect(most).toBe(1);
    expect(desk.acts).toHaveLength(6);
    await desk.run();
  });

  it('is told what it waits for, and can ask again for the answer', async () => {
    const first = desk.call('browser_click', BUTTON, { waitMs: 30_000, key: randomUUID() });
    await desk.asked();
    // Another one does not begin before, and nothing of it is done.
    const second = codeOf(desk.call('browser_snapshot', {}, { waitMs: 20_000 }));
    desk.clock.advanceTo(desk.clock.now() + 30_000);
    const handle = await first;
    expect(handle).toMatchObject({ ended: false, status: 'waiting', waiting: 'approval', tool: 'browser_click' });
    expect(await second).toBe('session_busy');
    expect(desk.acts).toEqual([]);
    await desk.decide('approved');
    await expect.poll(() => desk.acts.length).toBe(1);
    expect(await desk.ask('browser.result', { call: handle.call as string, waitMs: 1000 })).toMatchObject({
      ended: true,
    });
    expect(await desk.ask('browser.result', { call: randomUUID() })).toBeNull();
  });

  it('takes a call back: nobody is asked any more, and the next one begins', async () => {
    const controller = new AbortController();
    const clicked = codeOf(desk.call('browser_click', BUTTON, { signal: controller.signal }));
    await desk.asked();
    controller.abort(TAKEN_BACK);
    expect(await clicked).toBe('cancelled');
    expect(await desk.store.approvals({ status: 'pending' })).toEqual([]);
    expect(await desk.call('browser_snapshot')).toMatchObject({ ended: true });
    expect(desk.acts.map(({ action }) => action)).toEqual(['snapshot']);
  });

  it('a link that breaks takes nothing back', async () => {
    const controller = new AbortController();
    const key = randomUUID();
    const clicked = desk.call('browser_click', BUTTON, { signal: controller.signal, key });
    await desk.asked();
    controller.abort();
    await clicked;
    expect(await desk.ask('outcome', { key, waitMs: 0 })).toMatchObject({
      state: 'done',
      value: { waiting: 'approval' },
    });
  });

  it('long results are cut, and say where the rest is', async () => {
    desk.outside = () => ({ text: 'x'.repeat(50_000) });
    const answer = await desk.call('browser_snapshot');
    expect(answer).toMatchObject({ ended: true, excerpt: 'x'.repeat(2000) });
    expect(answer).not.toHaveProperty('output');
    expect(await desk.ask('run.step', { runId: answer.runId as string, path: 'session[1]/browser_snapshot' })).toEqual({
      text: 'x'.repeat(50_000),
    });
  });

  it('ends when nobody calls for half an hour, when it is told to, and when a person cancels it', async () => {
    await desk.call('browser_snapshot');
    desk.clock.advanceTo(desk.clock.now() + 31 * 60_000);
    await expect.poll(async () => (await desk.run()).status).toBe('completed');
    await desk.call('browser_snapshot');
    expect((await desk.store.runs()).map(({ status }) => status)).toEqual(['waiting', 'completed']);
    expect(await desk.ask('browser.end')).toEqual({ ended: true });
    expect(await desk.ask('browser.end')).toEqual({ ended: false });
    desk.clock.advanceTo(desk.clock.now() + 1);
    const clicked = codeOf(desk.call('browser_click', BUTTON));
    const { runId } = await desk.asked();
    const command = { type: 'cancel' as const, runId };
    await desk.engine.send({ commandId: 'c', at: desk.clock.now(), by: 'person', roles: [], command });
    expect(await clicked).toBe('cancelled');
    expect((await desk.store.runs()).map(({ status }) => status)).toEqual(['cancelled', 'completed', 'completed']);
  });

  it('needs a site, and says so; an open approval of a client that has gone is withdrawn', async () => {
    desk.granted = [];
    expect(await codeOf(desk.call('browser_snapshot'))).toBe('permission_denied');
    desk.granted = ['https://shop.example/*'];
    const clicked = codeOf(desk.call('browser_click', BUTTON));
    await desk.asked();
    await desk.sessions.end(desk.session);
    expect(await clicked).toBe('approval_rejected');
    await expect.poll(async () => (await desk.run()).status).toBe('completed');
    expect(desk.acts).toEqual([]);
  });
});

describe('a worker that dies', () => {
  it('before the call: it has never arrived', async () => {
    expect(await desk.ask('outcome', { key: randomUUID() })).toEqual({ state: 'never' });
  });

  it('after the act: the answer comes from the journal, and nothing is done again', async () => {
    const key = randomUUID();
    const clicked = desk.call('browser_click', BUTTON, { key });
    await desk.decide('approved');
    await clicked;
    await desk.die();
    expect(await desk.ask('outcome', { key })).toMatchObject({ state: 'done', value: { ended: true } });
    // Sent again it is the same call.
    expect(await desk.call('browser_click', BUTTON, { key })).toMatchObject({ ended: true });
    expect(desk.acts).toHaveLength(1);
    expect(await desk.call('browser_snapshot')).toMatchObject({ ended: true });
    await desk.run();
  });

  it('while a person is asked: the question stands, the act is done once', async () => {
    const key = randomUUID();
    void codeOf(desk.call('browser_click', BUTTON, { key }));
    await desk.asked();
    await desk.die();
    await desk.decide('approved');
    expect(await desk.ask('outcome', { key, waitMs: 1000 })).toMatchObject({ state: 'done', value: { ended: true } });
    expect(desk.acts).toHaveLength(1);
  });

  it('in the act: it is not known, it is not repeated, and the session goes on', async () => {
    const key = randomUUID();
    desk.outside = () => new Promise(() => undefined);
    void codeOf(desk.call('browser_click', BUTTON, { key }));
    await desk.decide('approved');
    await expect.poll(() => desk.acts.length).toBe(1);
    await desk.die();
    expect(await desk.ask('outcome', { key })).toEqual({ state: 'unknown' });
    expect(await codeOf(desk.call('browser_click', BUTTON, { key }))).toBe('outcome_unknown');
    desk.outside = () => ({});
    expect(await desk.call('browser_snapshot')).toMatchObject({ ended: true });
    expect(desk.acts.map(({ action }) => action)).toEqual(['click', 'snapshot']);
  });

  it('in a look: it is looked again', async () => {
    const key = randomUUID();
    desk.outside = () => new Promise(() => undefined);
    void codeOf(desk.call('browser_snapshot', {}, { key }));
    await expect.poll(() => desk.acts.length).toBe(1);
    desk.outside = () => ({ text: 'seen' });
    await desk.die();
    expect(await desk.ask('outcome', { key, waitMs: 1000 })).toMatchObject({
      state: 'done',
      value: { output: { text: 'seen' } },
    });
    await desk.run();
  });
});
