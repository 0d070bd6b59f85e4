import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/adapters/memory/index.ts';
import { OutboxPump } from '../../src/app/outbox.ts';
import { openNotified } from '../../src/app/surfaces.ts';
import { translatorFor } from '../../src/view/messages/index.ts';
import { commit, event, told } from '../contract/rows.ts';
import { type FakeBrowser, fakeBrowser, settle } from './fake.ts';
import { setUp as newWorld } from './world.ts';

/** What the browser was asked to show, in order. */
type Shown = { id: string; title: string; message: string; priority?: number }[];

function recorded(fake: FakeBrowser): Shown {
  const shown: Shown = [];
  fake.browser.notifications.create = async (id, { title, message, priority }) => {
    shown.push({ id, title, message, ...(priority === undefined ? {} : { priority }) });
    return id;
  };
  return shown;
}

function setUp() {
  const fake = fakeBrowser();
  const shown = recorded(fake);
  const store = createMemoryStore();
  let changes = 0;
  const make = () =>
    new OutboxPump({
      browser: fake.browser,
      store,
      clock: { now: () => 7000 },
      translator: translatorFor('en'),
      changed: () => void changes++,
    });
  let seq = 0;
  const tell = async (pump: OutboxPump | undefined, row = told('n1', 'r1')) => {
    const written = commit(row.runId, { events: [event(row.runId, ++seq)], outbox: [row] });
    await store.commit(written);
    pump?.committed(written);
    await settle();
  };
  return { fake, shown, store, make, tell, changes: () => changes };
}

describe('the pump', () => {
  it('shows each entry once, as urgent as it is, and keeps it in the list', async () => {
    const { shown, store, make, tell, changes } = setUp();
    const pump = make();
    await tell(pump, told('n1', 'r/1', { severity: 'critical' }));
    await tell(pump, told('h1', 'r1', { kind: 'handoff', to: 'support', message: 'Look', createdAt: 2000 }));
    expect(shown).toMatchObject([
      { id: 'outbox/r%2F1/n1', title: 'Done', message: 'All is sent', priority: 2 },
      { id: 'outbox/r1/h1', title: 'For support', message: 'Look', priority: 0 },
    ]);
    await pump.pump();
    await make().pump();
    expect(shown).toHaveLength(2);
    expect((await store.outbox()).map(({ outboxId, sentAt }) => [outboxId, sentAt])).toEqual([
      ['h1', 7000],
      ['n1', 7000],
    ]);
    expect(changes()).toBeGreaterThan(1);
  });

  it('the worker died before it was shown: the next start shows it', async () => {
    const { shown, make, tell } = setUp();
    await tell(undefined);
    expect(shown).toEqual([]);
    await make().pump();
    expect(shown).toHaveLength(1);
  });

  it('told again under the same key: the text is the new one, and nobody is called twice', async () => {
    const { shown, store, make, tell } = setUp();
    const pump = make();
    await tell(pump, told('n1', 'r1', { dedupeKey: 'k' }));
    await tell(pump, told('n1', 'r2', { dedupeKey: 'k', message: 'Again' }));
    expect(shown).toHaveLength(1);
    expect((await store.outbox()).map(({ message }) => message)).toEqual(['Again']);
  });

  it('a browser that refuses stops nothing; long texts are cut; the oldest entries go', async () => {
    const { fake, shown, store, make, tell } = setUp();
    const pump = make();
    await tell(pump, told('long', 'r1', { title: 'x'.repeat(500), message: 'y'.repeat(5000) }));
    expect(shown[0]?.title.length).toBe(100);
    expect(shown[0]?.message.length).toBe(300);
    fake.browser.notifications.create = () => Promise.reject(new Error('no'));
    for (let n = 0; n < 205; n++) await tell(pump, told(`n${n}`, 'r1', { createdAt: 3000 + n }));
    const left = await store.outbox();
    expect(left).toHaveLength(200);
    expect(left.every(({ sentAt }) => sentAt !== undefined)).toBe(true);
  });
});

describe('in the background', () => {
  const TELL = `format: tabloom/v1
id: tell
name: Tell
steps:
  - { id: tell, type: notification, title: Hello, message: There, severity: low }
`;

  it('a run tells: the browser shows it, the list has it, a click leads to the run, dismissing removes it', async () => {
    const world = newWorld();
    const shown = recorded(world.fake);
    await world.ask('workflow.import', { source: TELL, enable: true });
    const started = await world.ask('run.start', { workflowId: 'tell', input: {} });
    await settle();
    const runId = 'runId' in started ? started.runId : '';
    const { entries } = await world.ask('outbox.list', {});
    expect(entries).toMatchObject([{ kind: 'notification', title: 'Hello', message: 'There', severity: 'low', runId }]);
    const id = `outbox/${runId}/${entries[0]?.outboxId}`;
    expect(shown).toMatchObject([{ id, title: 'Hello', message: 'There' }]);
    await openNotified(world.fake.browser, id);
    expect(await world.ask('outbox.dismiss', { outboxId: entries[0]?.outboxId ?? '' })).toEqual({ entries: [] });
  });
});
