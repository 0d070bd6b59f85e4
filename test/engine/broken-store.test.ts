import { describe, expect, it } from 'vitest';
import type { JournalEvent } from '../../src/model/events.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { Revision } from '../../src/model/workflow.ts';
import { click, fails, gate, go, look, value, World, workflow } from '../support/engine.ts';

/** A store that has lost or changed something, and faults of our own: the run says so, nothing is done twice, and others go on. */

const CALLS = workflow([{ id: 'call', type: 'subworkflow', workflow: 'inner' }], { output: '{{step.call}}' });
const INNER = { ...workflow([look('see')], { output: 'seen' }), id: 'inner', name: 'Inner' };

/** What a person is told of a run that cannot be read, and that it can still be cancelled. */
async function unreadable(world: World, why: string): Promise<void> {
  await world.crash();
  expect(world.faults.at(-1)).toContain(why);
  expect(await world.do('pause')).toMatchObject({ ok: false, code: 'internal', message: expect.stringContaining(why) });
  expect(await world.do('cancel')).toEqual({ ok: true });
  expect(await world.run()).toMatchObject({ status: 'cancelled', error: { code: 'internal' } });
  expect(await world.do('cancel')).toMatchObject({ ok: false, code: 'run_finished' });
}

describe('a journal that is not as it was written', () => {
  const changed = async (change: (events: JournalEvent[]) => JournalEvent[], why: string) => {
    const world = new World();
    await world.start(workflow([value('a', 1), gate('ok')]));
    const { events } = world.memory;
    world.memory.events = async (...args) => change(await events(...args));
    await unreadable(world, why);
  };

  it('an entry of a kind that nobody knows', () =>
    changed(
      (events) => events.map((event) => (event.path === 'a' ? { ...event, type: 'step.flown' } : event)),
      'step.flown a',
    ));

  it('an entry about a step that is not in the revision', () =>
    changed(
      (events) => events.map((event) => (event.path === 'a' ? { ...event, path: 'b' } : event)),
      'does not know',
    ));

  it('an entry about a round of a loop before it was opened', async () => {
    const world = new World();
    await world.start(workflow([{ id: 'each', type: 'loop', over: [1], steps: [gate('ok')] }]));
    const { events } = world.memory;
    world.memory.events = async (...args) => (await events(...args)).filter(({ type }) => type !== 'list.opened');
    await unreadable(world, 'before its list was opened');
  });

  it('no entry at all', () => changed(() => [], 'its journal is empty'));

  it('a large value that is gone, of a step and of the run itself', async () => {
    for (const where of ['step.completed a', 'run.created']) {
      const large = 'x'.repeat(20_000);
      const world = new World();
      await world.start(
        workflow([value('a', where === 'run.created' ? 1 : large), gate('ok')]),
        where === 'run.created' ? { large } : {},
      );
      world.memory.blob = async () => undefined;
      await unreadable(world, `lost a value of ${where}`);
    }
  });

  it('its revision is gone', async () => {
    const world = new World();
    await world.start(workflow([gate('ok')]));
    world.memory.revision = async () => undefined;
    await unreadable(world, 'is missing');
  });
});

describe('what was stored gives something else by the time it is used', () => {
  /** A run whose large value loses its part `url` when `lose` is called. */
  function losing(outside: ConstructorParameters<typeof World>[0] = {}) {
    let lost = false;
    const world = new World({
      ...outside,
      wrap: (store) => ({
        ...store,
        blob: async (hash) => {
          const text = await store.blob(hash);
          return lost && text?.includes('"url"') ? JSON.stringify({ pad: 1 }) : text;
        },
      }),
    });
    const steps = [
      value('data', { url: 'https://app.example/', pad: 'x'.repeat(20_000) }),
      go('open', { arguments: { url: '{{step.data.url}}' } }),
    ];
    const lose = () => {
      lost = true;
    };
    return { world, steps, lose };
  }

  it('before a further attempt: the step fails with that, and is not made again', async () => {
    const { world, steps, lose } = losing({ outside: () => fails('network') });
    await world.start(workflow(steps));
    lose();
    await world.crash();
    await world.runOut();
    expect([world.count('open'), (await world.run()).error?.code]).toEqual([1, 'template_unresolved']);
    expect((await world.step('open'))?.attempts).toHaveLength(1);
  });

  it('before an attempt that was cut off is made again: the same', async () => {
    const { world, steps, lose } = losing({
      outside: (call) => new Promise((_, no) => call.signal.addEventListener('abort', no)),
    });
    await world.start(workflow(steps));
    lose();
    await world.crash();
    await world.runOut();
    expect([world.count('open'), (await world.run()).error?.code]).toEqual([1, 'template_unresolved']);
  });

  it('an outside that gives what no JSON can hold: no output, and no second act', async () => {
    const world = new World({ outside: () => ({ n: Number.NaN }) as unknown as Json });
    await world.start(workflow([click('send')]));
    expect(await world.step('send')).toMatchObject({ status: 'failed', error: { code: 'output_invalid' } });
    expect(world.faults).toEqual([]);
    expect((await world.step('send'))?.output).toBeUndefined();
    expect(world.count('send')).toBe(1);
  });
});

describe('calls of other workflows while the store changes', () => {
  /** Once set, its answer stands for that of the store. */
  function wrapped() {
    let answer: ((id: string, store: World['memory']) => Promise<Revision | undefined>) | undefined;
    const world = new World({
      wrap: (store) => ({ ...store, revision: (id) => (answer ? answer(id, store) : store.revision(id)) }),
    });
    const answers = (given: typeof answer) => {
      answer = given;
    };
    return { world, answers };
  }

  it('the revision of a called workflow is lost between start and call: the step fails with what to do', async () => {
    const { world, answers } = wrapped();
    const inner = await world.save(INNER);
    let asked = 0;
    answers((id, store) => (id === inner.revision && ++asked > 1 ? Promise.resolve(undefined) : store.revision(id)));
    await world.start(CALLS);
    expect((await world.run()).error).toMatchObject({ code: 'workflow_missing', step: 'call', message: /Import/ });
  });

  it('everything is stopped just before a called run begins: it begins after the resume, once', async () => {
    const { world, answers } = wrapped();
    const inner = await world.save(INNER);
    let asked = 0;
    answers(async (id, store) => {
      if (id === inner.revision && ++asked === 2) await world.engine.emergencyStop(true);
      return store.revision(id);
    });
    await world.start(CALLS);
    await world.runOut();
    expect([(await world.run()).status, (await world.memory.runs()).length]).toEqual(['paused', 1]);
    await world.engine.emergencyStop(false);
    await world.do('resume');
    await world.runOut();
    expect([(await world.run()).status, (await world.run()).output, (await world.memory.runs()).length]).toEqual([
      'completed',
      'seen',
      2,
    ]);
  });

  it('a start that calls what is not there, and one that is stopped while it looks: refused, and there is no run', async () => {
    const world = new World({
      wrap: (store) => ({
        ...store,
        workflow: async (id) => {
          if (id === 'inner') await world.engine.emergencyStop(true);
          return store.workflow(id);
        },
      }),
    });
    const missing = workflow([{ id: 'call', type: 'subworkflow', workflow: 'nowhere' }]);
    expect(await world.start(missing)).toMatchObject({ ok: false, code: 'workflow_missing' });
    await world.save(INNER);
    expect(await world.start(CALLS)).toMatchObject({ ok: false, code: 'emergency_stop' });
    expect(await world.memory.runs()).toEqual([]);
  });

  it('a rerun of which the revision is lost, the input no longer fits, or a called workflow is gone: refused, and there is no run', async () => {
    const world = new World();
    await world.start(workflow([look('a')]));
    const command = { type: 'rerun', runId: world.runId, from: 'a', revision: 'newest' } as const;
    await world.save(workflow([look('a')], { inputs: { type: 'object', required: ['n'] } }));
    expect(await world.send(command)).toMatchObject({ ok: false, code: 'input_invalid' });
    await world.save(workflow([look('a'), { id: 'call', type: 'subworkflow', workflow: 'nowhere' }]));
    expect(await world.send(command)).toMatchObject({ ok: false, code: 'workflow_missing' });
    world.memory.revision = async () => undefined;
    expect(await world.send({ ...command, revision: 'same' })).toMatchObject({ ok: false, code: 'workflow_missing' });
    expect((await world.memory.runs()).length).toBe(1);
  });
});

describe('faults of our own', () => {
  it('deciding itself throws: the run ends with that, what it does is aborted, and another run goes on', async () => {
    const world: World = new World({
      outside: ({ path, signal }) => (path === 'bad' ? fails('network') : world.hang(signal)),
    });
    await world.start(workflow([gate('fine')], { id: 'other' }));
    const other = world.runId;
    const { random } = world as unknown as { random: { next(): number } };
    random.next = () => {
      throw new TypeError('a bug');
    };
    await world.start(workflow([look('bad', { dependsOn: [] }), look('slow', { dependsOn: [] })]));
    await world.advance(10_000);
    expect(await world.run()).toMatchObject({
      status: 'failed',
      error: { code: 'internal', message: expect.stringContaining('a bug') },
    });
    expect(world.calls.every(({ path, signal }) => path !== 'slow' || signal.aborted)).toBe(true);
    expect(world.faults.some((fault) => fault.includes('could not be decided: a bug'))).toBe(true);
    world.runId = other;
    await world.decide('fine');
    expect((await world.run()).status).toBe('completed');
  });

  it('a command about a run that is nowhere', async () => {
    const world = new World();
    expect(await world.send({ type: 'pause', runId: 'none' })).toMatchObject({ ok: false, code: 'run_missing' });
  });

  it('another engine writes whenever this one does: a command is given up with a sentence, and changes nothing', async () => {
    let clash = false;
    const world = new World({
      wrap: (store) => ({
        ...store,
        commit: (commit) =>
          clash ? Promise.reject(Object.assign(new Error('clash'), { name: 'StoreConflict' })) : store.commit(commit),
      }),
    });
    await world.start(workflow([gate('ok')]));
    clash = true;
    expect(await world.do('pause')).toMatchObject({ ok: false, code: 'internal', message: /Another Tabloom works/ });
    clash = false;
    await world.advance(10_000);
    expect((await world.run()).status).toBe('waiting');
  });

  it('a run of another engine cannot be looked at: said, and looked at again a while later', async () => {
    const world = new World();
    await world.start(workflow([gate('ok'), click('send')]));
    const first = world.engine;
    const other = world.makeEngine();
    await other.recover();
    await world.decide('ok');
    const command = { type: 'pause', runId: world.runId } as const;
    await other.send({ commandId: 'x', at: 0, by: 'other', roles: ['owner'], command });
    expect(first.active).toEqual([]);
    const world2 = new World();
    await world2.start(workflow([gate('one'), gate('two')]));
    const second = world2.makeEngine();
    await second.recover();
    await world2.decide('one');
    const late = { type: 'signal', runId: world2.runId, name: 'x' } as const;
    const { commit } = world2.memory;
    let clashes = 0;
    world2.memory.commit = (given) =>
      clashes++ < 9 ? Promise.reject(Object.assign(new Error('clash'), { name: 'StoreConflict' })) : commit(given);
    await second.send({ commandId: 'x', at: 0, by: 'other', roles: ['owner'], command: late });
    const { run } = world2.memory;
    let broken = 1;
    world2.memory.run = (id) => (broken-- > 0 ? Promise.reject(new Error('torn')) : run(id));
    await world2.advance(10_000);
    expect(world2.faults.some((fault) => fault.includes('could not be read: torn'))).toBe(true);
    world2.memory.commit = commit;
    await world2.decide('two');
    expect((await world2.run()).status).toBe('completed');
  });

  it('more falls due at one moment than one commit may hold: all of it happens then, over several commits', async () => {
    const world = new World();
    const waits: JsonObject[] = Array.from({ length: 600 }, (_, n) => ({
      id: `w${n}`,
      type: 'wait',
      for: '1h',
      dependsOn: [],
    }));
    await world.start(workflow(waits));
    await world.runOut();
    expect((await world.run()).status).toBe('completed');
    const ends = (await world.events()).filter(({ type }) => type === 'step.completed');
    expect(ends).toHaveLength(600);
    expect(Math.max(...ends.map(({ at }) => at)) - Math.min(...ends.map(({ at }) => at))).toBeLessThanOrEqual(1000);
  });
});
