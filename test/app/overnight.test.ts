import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { describe, expect, it } from 'vitest';
import { createDexieStore } from '../../src/adapters/dexie/index.ts';
import { createMemoryStore, createVirtualClock, seededRandom } from '../../src/adapters/memory/index.ts';
import { createMemorySecretVault } from '../../src/adapters/secrets/index.ts';
import type { RequestName, Requests, ResponseMessage } from '../../src/app/protocol.ts';
import { Runtime } from '../../src/app/runtime.ts';
import { DUE_ALARM } from '../../src/app/schedule.ts';
import type { Store } from '../../src/ports/store.ts';
import { fakeBrowser, OWN } from './fake.ts';

/** An approval that is asked for in the evening and looked at the next morning, on both stores, with the worker gone or there all night. */

const EVENING = Date.parse('2026-01-05T22:00:00Z');
const MORNING = Date.parse('2026-01-06T07:30:00Z');
const HOUR = 3_600_000;

const source = (expiresAfter: string) => `format: tabloom/v1
id: night
name: Over night
steps:
  - { id: sum, type: deterministic_command, operation: list.sum, arguments: { items: [2, 3] } }
  - { id: gate, type: approval, title: "Send {{step.sum}}?", expiresAfter: ${expiresAfter} }
  - { id: sent, type: deterministic_command, operation: identity, arguments: { value: "sent {{step.sum}}" } }
output: { sent: "{{step.sent}}" }
`;

const bounded = `format: tabloom/v1
id: night
name: Over night
steps:
  - id: block
    type: condition
    if: "true"
    timeout: 2h
    then: [{ id: gate, type: approval, title: "Send?" }]
`;

const stores: { name: string; make(): Store }[] = [
  { name: 'memory', make: createMemoryStore },
  { name: 'dexie', make: () => createDexieStore({ name: 'night', indexedDB: new IDBFactory(), IDBKeyRange }) },
];

function night(store: Store) {
  const fake = fakeBrowser();
  let clock = createVirtualClock(EVENING);
  let runtime: Runtime;
  const wake = () => {
    runtime = new Runtime({
      browser: fake.browser,
      store,
      vault: createMemorySecretVault(),
      clock,
      random: seededRandom(clock.now()),
    });
    runtime.wake();
  };
  wake();
  return {
    fake,
    async ask<K extends RequestName>(name: K, payload: Requests[K]['in']): Promise<Requests[K]['out']> {
      const answer = (await runtime.onMessage({ tabloom: 1, name, payload }, OWN)) as ResponseMessage<K>;
      if (!answer.ok) throw new Error(`${answer.error.code} ${answer.error.message}`);
      return answer.value;
    },
    /** The worker dies, and its timers with it; the next one starts at that moment. */
    sleepUntil(at: number) {
      clock = createVirtualClock(at);
      wake();
    },
    /** The browser is closed, and opened at that moment. */
    closedUntil(at: number) {
      for (const key of Object.keys(fake.session)) delete fake.session[key];
      fake.alarms.clear();
      this.sleepUntil(at);
    },
    /** The worker is there all the time, and its timers run. */
    stayUntil(at: number) {
      clock.advanceTo(at);
    },
    /** The browser's alarm goes off; it is set for one time only. */
    alarm() {
      fake.alarms.delete(DUE_ALARM);
      runtime.onAlarm(DUE_ALARM);
    },
  };
}

type Night = ReturnType<typeof night>;

async function started(world: Night, text: string): Promise<string> {
  await world.ask('workflow.import', { source: text, enable: true });
  const answer = await world.ask('run.start', { workflowId: 'night', input: {} });
  if ('refused' in answer) throw new Error(answer.refused.message);
  await expect.poll(async () => (await world.ask('state.get', {})).approvals.length).toBe(1);
  return answer.runId;
}

async function statusOf(world: Night, runId: string) {
  return (await world.ask('run.get', { runId }))?.run.status;
}

const approve = (world: Night, approval: { runId: string; path: string; hash: string } | undefined) => {
  if (!approval) throw new Error('there is nothing to decide');
  const { runId, path, hash } = approval;
  const command = { type: 'decide', runId, path, hash, decision: 'approved' } as const;
  return world.ask('command.send', { commandId: 'morning', surface: 'popup', command });
};

describe.each(stores)('$name', ({ make }) => {
  it.each([
    ['the worker gone', 'sleepUntil'],
    ['the worker there', 'stayUntil'],
  ] as const)(
    'an approval waits over night with %s: it is there in the morning as it was, and approved the run completes',
    async (_name, pass) => {
      const world = night(make());
      const runId = await started(world, source('24h'));
      const [asked] = (await world.ask('state.get', {})).approvals;
      expect(asked?.expiresAt).toBe(EVENING + 24 * HOUR);
      await expect.poll(() => world.fake.alarms.get(DUE_ALARM)).toEqual({ when: EVENING + 24 * HOUR });

      world[pass](MORNING);
      const state = await world.ask('state.get', {});
      expect(state.approvals).toEqual([asked]);
      expect(await statusOf(world, runId)).toBe('waiting');
      expect(await approve(world, asked)).toMatchObject({ ok: true });
      await expect.poll(() => statusOf(world, runId)).toBe('completed');

      const detail = await world.ask('run.get', { runId });
      expect(detail?.run).toMatchObject({ output: { sent: 'sent 5' }, endedAt: MORNING });
      // The night was not active time.
      expect(detail?.run.activeMs).toBeLessThan(HOUR);
      const { events } = await world.ask('run.events', { runId });
      const completed = events.filter(({ type }) => type === 'step.completed').map(({ path }) => path);
      expect(completed).toEqual(['sum', 'gate', 'sent']);
    },
  );

  it.each([
    ['the alarm wakes a worker for it', 'sleepUntil', EVENING + 8 * HOUR],
    ['the worker is there all night', 'stayUntil', EVENING + 8 * HOUR],
    ['the browser is opened only in the morning', 'sleepUntil', MORNING],
  ] as const)(
    'an approval expires in the night, %s: the run fails by it, and a decision in the morning changes nothing',
    async (_name, pass, at) => {
      const world = night(make());
      const runId = await started(world, source('8h'));
      const [asked] = (await world.ask('state.get', {})).approvals;
      await expect.poll(() => world.fake.alarms.get(DUE_ALARM)).toEqual({ when: EVENING + 8 * HOUR });

      world[pass](at);
      if (at === MORNING) world.fake.alarms.clear();
      else world.alarm();
      await expect.poll(() => statusOf(world, runId)).toBe('failed');
      expect((await world.ask('run.get', { runId }))?.run).toMatchObject({ error: { code: 'approval_expired' } });
      world[pass](MORNING);
      expect(await approve(world, asked)).toMatchObject({ ok: false, code: 'approval_expired' });
      const detail = await world.ask('run.get', { runId });
      expect(detail?.run.status).toBe('failed');
      expect(detail?.steps.find(({ path }) => path === 'sent')?.status).not.toBe('completed');
      // The alarm is written at most once a second.
      world.stayUntil(MORNING + 2000);
      await expect.poll(() => world.fake.alarms.has(DUE_ALARM)).toBe(false);
    },
  );

  it('a block with a time of its own holds the approval: the time in which the browser was closed does not count', async () => {
    const world = night(make());
    const runId = await started(world, bounded);
    // It is used for half an hour.
    world.sleepUntil(EVENING + HOUR / 2);
    await world.ask('state.get', {});
    world.closedUntil(MORNING);
    await expect.poll(() => world.fake.alarms.get(DUE_ALARM)).toEqual({ when: MORNING + 1.5 * HOUR });
    expect(await statusOf(world, runId)).toBe('waiting');
    // From here on the browser is there, and its alarm wakes a worker.
    world.sleepUntil(MORNING + 1.5 * HOUR);
    world.alarm();
    await expect.poll(() => statusOf(world, runId)).toBe('failed');
    expect((await world.ask('run.get', { runId }))?.run).toMatchObject({ error: { code: 'timeout' } });
  });
});
