import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/adapters/memory/index.ts';
import { AttentionCaller } from '../../src/app/attention.ts';
import { badgeOf } from '../../src/app/badge.ts';
import type { ApprovalRow, RunRow, StepRunRow, WaitKind } from '../../src/model/run.ts';
import type { Commit } from '../../src/ports/store.ts';
import { translatorFor } from '../../src/view/messages/index.ts';
import { runRow, stepRow } from '../support/rows.ts';
import { fakeBrowser, settle } from './fake.ts';

const translator = translatorFor('en');

describe('the badge', () => {
  it.each([
    [{ pending: 0, failed: false, stopped: false }, '', 'Tabloom'],
    [{ pending: 1, failed: false, stopped: false }, '1', 'Tabloom: 1 waits for you'],
    [{ pending: 3, failed: true, stopped: false }, '3', 'Tabloom: 3 wait for you · Failed'],
    [{ pending: 120, failed: false, stopped: false }, '99+', 'Tabloom: 120 wait for you'],
    [{ pending: 0, failed: true, stopped: false }, '!', 'Tabloom: Failed'],
    [{ pending: 1, failed: false, stopped: true }, '1', 'Tabloom: Stopped · 1 waits for you'],
    [
      { pending: 2, failed: false, stopped: false, storage: { full: true, message: 'x' } },
      '!',
      'Tabloom: No room left to store anything · 2 wait for you',
    ],
    [
      { pending: 0, failed: false, stopped: false, storage: { full: false, message: 'x' } },
      '!',
      'Tabloom: Nothing can be stored',
    ],
  ])('%j: %s', (attention, text, title) => {
    expect(badgeOf(attention, translator)).toMatchObject({ text, title });
  });

  it('an approval is amber, a failure red', () => {
    const colors = [
      { pending: 1, failed: true, stopped: false },
      { pending: 0, failed: true, stopped: false },
    ].map((one) => badgeOf(one, translator).color);
    expect(new Set(colors).size).toBe(2);
  });
});

async function setUp(watched = false) {
  const fake = fakeBrowser();
  const store = createMemoryStore();
  const make = () =>
    new AttentionCaller({ browser: fake.browser, store, translator, stopped: () => false, watched: () => watched });
  const caller = make();
  await caller.load();
  const commit = async (part: {
    status?: RunRow['status'];
    lasted?: number;
    approval?: Partial<ApprovalRow>;
    steps?: StepRunRow[];
    dropSteps?: string[];
  }) => {
    const run = {
      runId: 'r1',
      workflowName: 'Weekly',
      status: part.status ?? 'waiting',
      createdAt: 0,
      endedAt: part.lasted ?? 0,
    } as unknown as RunRow;
    const approvals = part.approval
      ? [
          {
            approvalId: 'a1',
            workflowName: 'Weekly',
            title: 'Pay SECRET 500',
            status: 'pending',
            ...part.approval,
          } as ApprovalRow,
        ]
      : [];
    const events = part.status ? [{ type: 'run.ended' }] : [];
    const { steps = [], dropSteps } = part;
    caller.committed({ runId: 'r1', run, approvals, events, steps, dropSteps } as unknown as Commit);
    await settle();
  };
  return { fake, store, caller, make, commit };
}

/** A row of a step that waits in this way; without one it is at work. */
function row(kind?: WaitKind, path = 'each[0]/send'): StepRunRow {
  return {
    runId: 'r1',
    path,
    status: kind ? 'waiting' : 'running',
    ...(kind && { wait: { kind, since: 0, reason: 'SECRET' } }),
  } as StepRunRow;
}

describe('a step that waits for a person without an approval', () => {
  it.each(['recovery', 'permission', 'review', 'task', 'budget', 'tool_change'] as const)(
    '%s: counted and notified once like an approval; both are gone when it goes on',
    async (kind) => {
      const { fake, commit } = await setUp();
      await commit({ steps: [row(kind)] });
      await commit({ steps: [row(kind)] });
      expect([...fake.notified]).toEqual([['wait/r1/each[0]/send', { title: 'Weekly', message: '1 waits for you' }]]);
      expect(fake.badge.text).toBe('1');
      await commit({ approval: {} });
      expect(fake.badge.text).toBe('2');
      await commit({ steps: [row()] });
      expect([...fake.notified.keys()]).toEqual(['approval/a1']);
      expect(fake.badge.text).toBe('1');
    },
  );

  it.each(['timer', 'signal', 'page', 'approval'] as const)('%s: nobody is called for the step', async (kind) => {
    const { fake, commit } = await setUp();
    await commit({ steps: [row(kind)] });
    expect([fake.notified.size, fake.badge.text]).toEqual([0, '']);
  });

  it('its run ends, or its row is dropped: no longer counted', async () => {
    const { fake, commit } = await setUp(true);
    await commit({ steps: [row('recovery', 'a'), row('permission', 'b')] });
    expect(fake.badge.text).toBe('2');
    await commit({ dropSteps: ['a'] });
    expect(fake.badge.text).toBe('1');
    await commit({ status: 'cancelled' });
    expect([fake.notified.size, fake.badge.text]).toEqual([0, '']);
  });

  it('the worker starts again: it is counted from the store, and nobody is notified twice', async () => {
    const { fake, store, make } = await setUp();
    const run = runRow({ runId: 'r1', status: 'waiting', waitingFor: ['recovery'] });
    const steps = [stepRow('send', { runId: 'r1', status: 'waiting', wait: { kind: 'recovery', since: 0 } })];
    await store.commit({
      runId: 'r1',
      events: [],
      run,
      steps,
      approvals: [],
      artifacts: [],
      blobs: [],
      inbox: [],
      strict: false,
    });
    await make().load();
    await settle();
    expect([fake.notified.size, fake.badge.text]).toEqual([0, '1']);
  });
});

describe('notifications', () => {
  it('an approval: one notification, with the workflow’s name and not its own title; gone once it is decided', async () => {
    const { fake, commit } = await setUp();
    await commit({ approval: {} });
    await commit({ approval: {} });
    expect([...fake.notified]).toEqual([['approval/a1', { title: 'Weekly', message: '1 waits for you' }]]);
    expect(fake.badge.text).toBe('1');
    await commit({ approval: { status: 'approved' } });
    expect(fake.notified.size).toBe(0);
    expect(fake.badge.text).toBe('');
  });

  it('a failed run: a notification and the mark, which stays over a restart until a page has asked', async () => {
    const { fake, caller, make, commit } = await setUp(true);
    await commit({ status: 'failed' });
    expect(fake.notified.get('run/r1')).toEqual({ title: 'Weekly', message: 'Failed' });
    expect(fake.badge.text).toBe('!');
    fake.badge.text = '';
    await make().load();
    await settle();
    expect(fake.badge.text).toBe('!');
    caller.seen();
    await settle();
    expect(fake.badge.text).toBe('');
    const next = make();
    await next.load();
    await settle();
    expect(fake.badge.text).toBe('');
  });

  it.each([
    ['a long run with no page open', 31_000, false, 1],
    ['a long run with a page open', 31_000, true, 0],
    ['a short run', 29_000, false, 0],
  ])('%s ends', async (_, lasted, watched, count) => {
    const { fake, commit } = await setUp(watched);
    await commit({ status: 'completed', lasted });
    expect(fake.notified.size).toBe(count);
  });

  it('a run that the person cancelled: nothing', async () => {
    const { fake, commit } = await setUp();
    await commit({ status: 'cancelled', lasted: 60_000 });
    expect([fake.notified.size, fake.badge.text]).toEqual([0, '']);
  });

  it('a browser that refuses notifications: the badge is drawn all the same', async () => {
    const { fake, commit } = await setUp();
    fake.browser.notifications.create = () => Promise.reject(new Error('no'));
    await commit({ approval: {} });
    expect(fake.badge.text).toBe('1');
  });
});
