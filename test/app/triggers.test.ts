import { describe, expect, it } from 'vitest';
import type { RunRow } from '../../src/model/run.ts';
import { settle } from './fake.ts';
import { setUp, type World } from './world.ts';

const HOUR = 3_600_000;
const WAITS = `steps:
  - { id: gate, type: approval, title: Go?, message: Look, risk: reversible }
`;
const ENDS = `steps:
  - { id: a, type: deterministic_command, operation: identity, arguments: { value: "{{workflow_input}}" } }
output: "{{step.a}}"
`;
const FAILS = `steps:
  - { id: a, type: deterministic_command, operation: json.parse, arguments: { text: "{" } }
`;
const hourly = (steps: string, more = '') => `format: tabloom/v1
id: clockwork
name: Clockwork
inputs: { type: object, properties: { at: { type: string } } }
triggers:
  - { id: hourly, type: schedule, cron: "0 * * * *", timezone: UTC, input: { at: "{{trigger.scheduledAt}}" }${more} }
${steps}`;

const TRIGGER = { workflowId: 'clockwork', triggerId: 'hourly' };

async function ready(source: string, world = setUp(), triggerId = 'hourly'): Promise<World> {
  const saved = await world.ask('workflow.import', { source, enable: true });
  if ('refused' in saved) throw new Error(JSON.stringify(saved.refused));
  const { workflowId } = saved;
  const answer = await world.ask('trigger.switch', { workflowId, triggerId, on: true });
  if ('refused' in answer) throw new Error(answer.refused.message);
  return world;
}

async function pass({ clock }: World, ms: number): Promise<void> {
  const end = clock.now() + ms;
  for (let next = clock.next(); next !== undefined && next <= end; next = clock.next()) {
    clock.advanceTo(next);
    await settle();
  }
  clock.advanceTo(end);
  await settle();
}

/** As when the browser wakes the worker for the alarm at its time. */
async function alarm(world: World): Promise<void> {
  // Alarms are written at most once a second.
  await pass(world, 1000);
  const due = world.fake.alarms.get('tabloom.due')?.when;
  if (due === undefined) throw new Error('no alarm');
  await pass(world, Math.max(0, due - world.clock.now()));
  world.fake.alarms.delete('tabloom.due');
  world.runtime.onAlarm('tabloom.due');
  await settle();
}

const runs = async ({ store }: World): Promise<RunRow[]> => (await store.runs()).reverse();
const listed = async (world: World) => (await world.ask('triggers.list', { workflowId: 'clockwork' })).triggers[0];

describe('switching', () => {
  it('imported triggers arrive off and start nothing; the alarm is set once one is on, for its next time', async () => {
    const world = setUp();
    await world.ask('workflow.import', { source: hourly(ENDS), enable: true });
    await settle();
    expect((await listed(world))?.on).toBe(false);
    expect(world.fake.alarms.size).toBe(0);
    await world.ask('trigger.switch', { ...TRIGGER, on: true });
    await settle();
    expect(world.fake.alarms.get('tabloom.due')).toEqual({ when: HOUR });
    expect(await listed(world)).toMatchObject({ on: true, next: HOUR, about: { cron: '0 * * * *', zone: 'UTC' } });
    await world.ask('trigger.switch', { ...TRIGGER, on: false });
    await pass(world, 2000);
    expect(world.fake.alarms.size).toBe(0);
  });

  it('another definition under the same id is off; the same one stays on', async () => {
    const world = await ready(hourly(ENDS));
    await world.ask('workflow.import', { source: hourly(WAITS), enable: true });
    expect((await listed(world))?.on).toBe(true);
    await world.ask('workflow.import', { source: hourly(WAITS, ', missed: run_once'), enable: true });
    expect((await listed(world))?.on).toBe(false);
  });

  it('removed and imported again: off', async () => {
    const world = await ready(hourly(ENDS));
    await world.ask('workflow.remove', { workflowId: 'clockwork' });
    await world.ask('workflow.import', { source: hourly(ENDS), enable: true });
    expect((await listed(world))?.on).toBe(false);
  });

  it('data-1: the workflow switched off, and the worker is another one: a trigger that is on starts nothing', async () => {
    const world = await ready(hourly(ENDS));
    await world.ask('workflow.enable', { workflowId: 'clockwork', enabled: false });
    const next = world.restart();
    next.runtime.wake();
    await settle();
    await pass(next, 3 * HOUR);
    next.runtime.onAlarm('tabloom.due');
    await settle();
    expect([await runs(world), (await listed(next))?.on]).toEqual([[], true]);
    await next.ask('workflow.enable', { workflowId: 'clockwork', enabled: true });
    await settle();
    await alarm(next);
    expect(await runs(world)).toHaveLength(1);
  });

  it('the workflow switched off and on again: times in between are not made up for', async () => {
    const world = await ready(hourly(ENDS, ', missed: run_once'));
    await world.ask('workflow.enable', { workflowId: 'clockwork', enabled: false });
    await pass(world, 3 * HOUR);
    await world.ask('workflow.enable', { workflowId: 'clockwork', enabled: true });
    await settle();
    expect(await runs(world)).toEqual([]);
  });

  it('the same slot twice: the second one is refused, with the name of the first', async () => {
    const keyed = (id: string) =>
      `format: tabloom/v1\nid: ${id}\nname: ${id}\ntriggers: [{ id: key, type: command, slot: 2 }]\n${ENDS}`;
    const world = await ready(keyed('one'), setUp(), 'key');
    await world.ask('workflow.import', { source: keyed('two'), enable: true });
    const answer = await world.ask('trigger.switch', { workflowId: 'two', triggerId: 'key', on: true });
    expect('refused' in answer && answer.refused).toMatchObject({
      code: 'trigger_taken',
      message: 'Switch off key of one first: it has the same place.',
    });
  });
});

describe('a schedule', () => {
  it('fires at its time by the alarm, with its input and what is known, and is armed for the next', async () => {
    const world = await ready(hourly(ENDS));
    await alarm(world);
    const [run] = await runs(world);
    expect(run).toMatchObject({
      status: 'completed',
      trigger: { type: 'schedule', id: 'hourly', scheduledAt: '1970-01-01T01:00:00.000Z' },
      input: { at: '1970-01-01T01:00:00.000Z' },
      startKey: `trigger:clockwork:hourly:${HOUR}`,
    });
    await pass(world, 2000);
    expect(world.fake.alarms.get('tabloom.due')).toEqual({ when: 2 * HOUR });
  });

  it('the worker dies between firing and starting, and after: one run', async () => {
    const world = await ready(hourly(ENDS));
    const { setSetting } = world.store;
    // The firing is stored, and nothing after it.
    let writes = 0;
    world.store.setSetting = (key, value) =>
      key.startsWith('triggers/') && ++writes > 1
        ? new Promise(() => undefined)
        : setSetting.call(world.store, key, value);
    world.clock.advanceTo(HOUR);
    world.runtime.onAlarm('tabloom.due');
    await settle();
    world.store.setSetting = setSetting;
    expect(await runs(world)).toHaveLength(1);
    for (let life = world, turn = 0; turn < 3; turn++) {
      life = life.restart();
      life.runtime.wake();
      await settle();
    }
    expect(await runs(world)).toHaveLength(1);
    expect(await world.store.setting('triggers/clockwork')).toMatchObject({ hourly: { past: HOUR, waiting: [] } });
  });

  it('the worker dies when the firing was stored and no run was: the next worker begins it', async () => {
    const world = await ready(hourly(ENDS));
    const { commit } = world.store;
    world.store.commit = () => new Promise(() => undefined);
    world.clock.advanceTo(HOUR);
    world.runtime.onAlarm('tabloom.due');
    await settle();
    expect(await runs(world)).toEqual([]);
    world.store.commit = commit;
    const next = world.restart();
    next.runtime.wake();
    await settle();
    expect((await runs(world)).map(({ startKey }) => startKey)).toEqual([`trigger:clockwork:hourly:${HOUR}`]);
  });

  it.each([
    ['skip', 0],
    ['run_once', 1],
  ])(
    'the browser was closed for a day, missed: %s: %i runs at the next boot, then the next time',
    async (missed, count) => {
      const world = await ready(hourly(ENDS, `, missed: ${missed}`));
      world.clock.advanceTo(24.5 * HOUR);
      const next = world.restart();
      next.runtime.wake();
      await settle();
      expect(await runs(world)).toHaveLength(count);
      expect(next.fake.alarms.get('tabloom.due')).toEqual({ when: 25 * HOUR });
    },
  );

  it('input that does not fit the schema: no run, and the person sees why until it is read', async () => {
    const world = await ready(
      hourly(ENDS).replace('properties: {', 'required: [n], properties: { n: { type: number }, '),
    );
    await alarm(world);
    expect(await runs(world)).toEqual([]);
    const { triggerNotes } = await world.ask('state.get', {});
    expect(triggerNotes).toMatchObject([{ triggerId: 'hourly', kind: 'refused', code: 'input_invalid' }]);
    expect(world.fake.notified.get('workflow/clockwork')).toEqual({
      title: 'Clockwork',
      message: 'A trigger could not start a run.',
    });
    await world.ask('trigger.dismiss', TRIGGER);
    expect((await world.ask('state.get', {})).triggerNotes).toBeUndefined();
  });

  it('during the emergency stop: refused, and said so', async () => {
    const world = await ready(hourly(ENDS));
    await world.ask('engine.stopAll', { lift: false });
    await alarm(world);
    expect((await listed(world))?.note).toMatchObject({ code: 'emergency_stop' });
  });
});

describe('an earlier run goes on', () => {
  it.each([
    ['queue', ['waiting'], 1],
    ['skip', ['waiting'], 0],
    ['replace', ['cancelled', 'waiting'], 0],
  ])('concurrency %s', async (concurrency, expected, waiting) => {
    const world = await ready(hourly(WAITS, `, concurrency: ${concurrency}`));
    await alarm(world);
    await alarm(world);
    expect((await runs(world)).map(({ status }) => status)).toEqual(expected);
    expect((await listed(world))?.waiting).toBe(waiting);
    expect((await listed(world))?.note).toBeUndefined();
  });

  it('queue: begins when the run before it has ended, also one that ended while no worker was there', async () => {
    const world = await ready(hourly(WAITS));
    await alarm(world);
    await alarm(world);
    const [first] = await runs(world);
    await world.ask('command.send', {
      commandId: 'c',
      surface: 'app',
      command: { type: 'cancel', runId: first?.runId ?? '' },
    });
    await settle();
    expect((await runs(world)).map(({ status }) => status)).toEqual(['cancelled', 'waiting']);
    expect((await listed(world))?.waiting).toBe(0);
  });
});

describe('failures', () => {
  it('five runs in a row failed: off, said in state, list and notification; switched on again it counts anew', async () => {
    const world = await ready(hourly(FAILS));
    for (let turn = 1; turn <= 4; turn++) await alarm(world);
    expect((await listed(world))?.on).toBe(true);
    await alarm(world);
    expect(await listed(world)).toMatchObject({ on: false, off: { failures: 5 } });
    expect((await world.ask('state.get', {})).triggerNotes).toMatchObject([{ kind: 'off', failures: 5 }]);
    expect(world.fake.notified.get('workflow/clockwork')?.message).toBe('A trigger was switched off: its runs failed.');
    await pass(world, 2 * HOUR);
    expect(await runs(world)).toHaveLength(5);
    await world.ask('trigger.switch', { ...TRIGGER, on: true });
    await pass(world, 1000);
    await alarm(world);
    expect(await listed(world)).toMatchObject({ on: true });
  });

  it('the worker dies when the fifth has failed and before that was counted: the next one counts', async () => {
    const world = await ready(hourly(FAILS));
    for (let turn = 1; turn <= 4; turn++) await alarm(world);
    const { setSetting } = world.store;
    world.store.setSetting = (key, value) =>
      JSON.stringify(value).includes('"off"') ? new Promise(() => undefined) : setSetting.call(world.store, key, value);
    await alarm(world);
    world.store.setSetting = setSetting;
    const next = world.restart();
    expect(await listed(next)).toMatchObject({ on: false, off: { failures: 5 } });
  });
});

describe('after a task', () => {
  const INTAKE = `format: tabloom/v1
id: intake
name: Intake
steps: [{ id: fill, type: task, title: Fill in, instructions: Now, form: { type: object } }]
`;
  const AFTER = `format: tabloom/v1
id: clockwork
name: Clockwork
inputs: { type: object, properties: { task: { type: string } } }
triggers: [{ id: hourly, type: task_event, event: completed, workflow: intake, input: { task: "{{trigger.taskId}}" } }]
${ENDS}`;
  const complete = async (world: World) => {
    await world.ask('workflow.import', { source: INTAKE, enable: true });
    const started = await world.ask('run.start', { workflowId: 'intake', input: {} });
    if (!('runId' in started)) throw new Error('not started');
    await settle();
    const command = { type: 'completeTask', runId: started.runId, path: 'fill', data: {} } as const;
    await world.ask('command.send', { commandId: 'c', surface: 'app', command });
    await settle();
  };

  it('a task of that workflow is completed: one run that knows it', async () => {
    const world = await ready(AFTER);
    await complete(world);
    const [, run] = await runs(world);
    expect(run?.trigger).toMatchObject({ type: 'task_event', id: 'hourly', workflow: 'intake' });
    expect(run?.input).toEqual({ task: run?.trigger.taskId });
    const next = world.restart();
    next.runtime.wake();
    await settle();
    expect(await runs(world)).toHaveLength(2);
  });

  it('the worker dies when the task is stored and the firing is not: the next one makes up for it', async () => {
    const world = await ready(AFTER);
    await pass(world, 1000);
    const { setSetting } = world.store;
    world.store.setSetting = (key, value) =>
      key.startsWith('triggers/') ? new Promise(() => undefined) : setSetting.call(world.store, key, value);
    await complete(world);
    world.store.setSetting = setSetting;
    expect(await runs(world)).toHaveLength(1);
    const next = world.restart();
    next.runtime.wake();
    await settle();
    expect(await runs(world)).toHaveLength(2);
  });
});

describe('used by a person', () => {
  const MENU = `format: tabloom/v1
id: clockwork
name: Clockwork
inputs: { type: object, required: [url], properties: { url: { type: string }, word: { type: string } } }
triggers:
  - { id: hourly, type: context_menu, on: [link, selection], input: { url: "{{trigger.linkUrl}}", word: "{{trigger.selection}}" } }
  - { id: bar, type: omnibox, keyword: look, input: { url: "https://example.com/?q={{trigger.text}}" } }
  - { id: key, type: command, slot: 1 }
${ENDS}`;

  it('an entry of the menu, with all that is needed: a run', async () => {
    const world = await ready(MENU);
    world.runtime.onMenu(
      { menuItemId: 'trigger/clockwork/hourly', pageUrl: 'https://a.example/', linkUrl: 'https://b.example/' },
      { id: 3, title: 'A' },
    );
    await settle();
    const [run] = await runs(world);
    expect([run?.input, run?.trigger]).toEqual([
      { url: 'https://b.example/' },
      { type: 'context_menu', id: 'hourly', url: 'https://a.example/', title: 'A', linkUrl: 'https://b.example/' },
    ]);
  });

  it('with something missing: the run form, with what is known; sent, the run has the trigger', async () => {
    const world = await ready(MENU);
    world.runtime.onMenu({ menuItemId: 'trigger/clockwork/hourly', selectionText: 'hello' }, { id: 3 });
    await settle();
    const [route = ''] = world.fake.opened;
    const form = decodeURIComponent(/^app\.html#\/workflows\/clockwork\/start\/(.+)$/.exec(route)?.[1] ?? '');
    expect(await world.ask('trigger.form', { workflowId: 'clockwork', form })).toEqual({
      workflowId: 'clockwork',
      triggerId: 'hourly',
      input: { word: 'hello' },
    });
    await world.ask('trigger.start', { workflowId: 'clockwork', form, input: { url: 'x', word: 'hello' } });
    await settle();
    const [run] = await runs(world);
    expect(run).toMatchObject({ input: { url: 'x', word: 'hello' }, trigger: { id: 'hourly', selection: 'hello' } });
  });

  it('a shortcut and a keyword in the address bar', async () => {
    const world = await ready(MENU, setUp(), 'bar');
    await world.ask('trigger.switch', { workflowId: 'clockwork', triggerId: 'key', on: true });
    const found: unknown[] = [];
    world.runtime.onOmnibox('lo & behold', (list) => found.push(...list));
    await settle();
    expect(found).toEqual([{ content: 'look & behold', description: 'look – Clockwork' }]);
    world.runtime.onOmniboxEntered('look  this up ');
    world.runtime.onOmniboxEntered('elsewhere this');
    world.runtime.onCommand('slot-1', { id: 3, url: 'https://a.example/', title: 'A' });
    world.runtime.onCommand('slot-2', { id: 3 });
    await settle();
    expect((await runs(world)).map(({ input }) => input)).toEqual([{ url: 'https://example.com/?q=this up' }]);
    expect(world.fake.opened).toHaveLength(1);
  });

  it('a secret in what started it: nothing is stored of it, and the note does not quote it', async () => {
    const world = await ready(MENU, setUp(), 'bar');
    const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    world.runtime.onOmniboxEntered(`look ${secret}`);
    await settle();
    expect(await runs(world)).toEqual([]);
    const kept = JSON.stringify([await world.store.setting('triggers/clockwork'), world.fake.session]);
    expect(kept).toContain('secret_detected');
    expect(kept).not.toContain(secret);
  });

  it('debounce: three clicks within it are one run, with the last', async () => {
    const world = await ready(MENU.replace('on: [link, selection]', 'on: [link], debounce: 2s'));
    for (const n of [1, 2, 3]) {
      world.runtime.onMenu({ menuItemId: 'trigger/clockwork/hourly', linkUrl: `https://b.example/${n}` }, undefined);
      await pass(world, 1000);
    }
    expect(await runs(world)).toEqual([]);
    await pass(world, 2000);
    expect((await runs(world)).map(({ input }) => input)).toEqual([{ url: 'https://b.example/3' }]);
  });

  it('the manual trigger: its id is on the run, and its input in the form', async () => {
    const world = setUp();
    const source = MENU.replace(
      'triggers:',
      'triggers:\n  - { id: hand, type: manual, input: { url: "{{trigger.url}}" } }',
    );
    await world.ask('workflow.import', { source, enable: true });
    world.fake.tabs.set(5, { id: 5, url: 'https://example.com/list', title: 'List', windowId: 2 });
    expect((await world.ask('state.get', {})).workflows[0]?.prefilled).toBe(true);
    const form = await world.ask('trigger.form', { workflowId: 'clockwork', tabId: 5 });
    expect(form?.input).toEqual({ url: 'https://example.com/list' });
    await world.ask('run.start', { workflowId: 'clockwork', input: { url: 'x' } });
    await settle();
    expect((await runs(world))[0]?.trigger).toEqual({ type: 'manual', id: 'hand' });
  });
});
