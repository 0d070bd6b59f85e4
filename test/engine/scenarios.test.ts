import { describe, expect, it } from 'vitest';
import { TabloomError } from '../../src/model/errors.ts';
import { verifyChain } from '../../src/model/events.ts';
import { click, fails, gate, go, look, START, value, World, workflow } from '../support/engine.ts';
import { checkReplay, liveState } from '../support/replay.ts';

const each = (count: number, steps: object[], more: object = {}) =>
  ({ id: 'each', type: 'loop', over: Array.from({ length: count }, (_, n) => n), steps, ...more }) as never;
const side = (branches: Record<string, object[]>, more: object = {}) =>
  ({ id: 'both', type: 'parallel', branches, ...more }) as never;

describe('engine', () => {
  it('engine-2: a loop of a once step and an approval, decided after a crash each time: the step acts once an item', async () => {
    const world = new World();
    await world.start(workflow([each(4, [click('act'), gate('ok')])]));
    for (let item = 0; item < 4; item++) {
      await world.crash();
      expect(await world.pending()).toEqual([`each[${item}]/ok`]);
      await world.decide(`each[${item}]/ok`);
    }
    expect((await world.run()).status).toBe('completed');
    expect(world.calls.map((call) => call.path)).toEqual([0, 1, 2, 3].map((n) => `each[${n}]/act`));
  });

  it('engine-4: three items side by side at an approval, the middle one decided: the others keep payload and hash', async () => {
    const world = new World();
    await world.start(workflow([each(3, [gate('ok', { show: { line: '{{loop_item}}' } })], { concurrency: 3 })]));
    const before = await Promise.all([0, 2].map((n) => world.approval(`each[${n}]/ok`)));
    await world.decide('each[1]/ok');
    expect(await Promise.all([0, 2].map((n) => world.approval(`each[${n}]/ok`)))).toEqual(before);
    expect(await world.pending()).toEqual(['each[0]/ok', 'each[2]/ok']);
  });

  it('engine-8: an approval in each of two branches, and one beside a wait: the run ends after every branch', async () => {
    const world = new World();
    await world.start(
      workflow([side({ a: [gate('one')], b: [gate('two')], c: [{ id: 'pause', type: 'wait', for: '1h' }] })]),
    );
    expect(await world.pending()).toEqual(['one', 'two']);
    await world.decide('one');
    await world.decide('two');
    expect((await world.run()).status).toBe('waiting');
    await world.advance(3_600_000);
    expect((await world.run()).status).toBe('completed');
  });

  it('engine-9: an approval beside a slow step, decided while it runs: the join runs once, after both', async () => {
    const world = new World({ outside: (call) => (call.path === 'slow' ? world.sleep(20_000).then(() => 1) : 1) });
    await world.start(
      workflow([
        value('a', 1),
        gate('b', { dependsOn: ['a'] }),
        look('slow', { dependsOn: ['a'] }),
        click('join', { dependsOn: ['b', 'slow'] }),
      ]),
    );
    await world.decide('b');
    expect(world.count('join')).toBe(0);
    await world.advance(20_000);
    expect([world.count('slow'), world.count('join'), (await world.run()).status]).toEqual([1, 1, 'completed']);
  });

  it('engine-10: a send, then an approval given a day later in a new process: sent once, and it showed that it waits', async () => {
    const world = new World();
    await world.start(workflow([click('send'), gate('ok', { expiresAfter: '7d' }), value('after', 1)]));
    expect(await world.run()).toMatchObject({ status: 'waiting', waitingFor: ['approval'] });
    world.clock.advanceTo(world.clock.now() + 86_400_000);
    await world.crash();
    await world.decide('ok');
    expect([world.count('send'), (await world.run()).status]).toEqual([1, 'completed']);
  });

  it('engine-11: a wait of 2 s and one of 10 minutes, the engine killed in each: both wake in time, once', async () => {
    const world = new World();
    await world.start(
      workflow([click('first'), { id: 'short', type: 'wait', for: '2s' }, { id: 'long', type: 'wait', for: '10m' }]),
    );
    await world.crash();
    await world.advance(2000);
    expect([await world.status('short'), await world.status('long')]).toEqual(['completed', 'waiting']);
    await world.crash();
    await world.advance(599_999);
    expect(await world.status('long')).toBe('waiting');
    await world.advance(1);
    expect([(await world.run()).status, world.count('first')]).toEqual(['completed', 1]);
  });

  it('engine-12: a loop of five fails at the fourth item and is retried: finished items stay, five results in order', async () => {
    const world = new World({
      outside: (call, nth) => (call.path === 'each[3]/act' && nth === 1 ? fails('bad_request') : call.path),
    });
    await world.start(workflow([each(5, [look('act')])]));
    expect((await world.run()).status).toBe('failed');
    await world.do('retry');
    expect((await world.run()).status).toBe('completed');
    expect(world.calls.map((call) => call.path)).toEqual([0, 1, 2, 3, 3, 4].map((n) => `each[${n}]/act`));
    expect((await world.step('each'))?.output).toMatchObject({
      items: [0, 1, 2, 3, 4].map((n) => `each[${n}]/act`),
      count: 5,
    });
  });

  it('engine-16: a join after a condition runs once, with join: all it is skipped; a diamond with cut edges ends', async () => {
    const world = new World();
    await world.start(
      workflow([
        value('start', 1),
        value('no', 1, { dependsOn: [{ step: 'start', when: '1 == 2' }] }),
        value('yes', 1, { dependsOn: ['start'] }),
        click('join', { dependsOn: ['no', 'yes'] }),
        click('all', { dependsOn: ['no', 'yes'], join: 'all' }),
        click('after', { dependsOn: ['all'] }),
      ]),
    );
    expect([world.count('join'), world.count('all'), world.count('after')]).toEqual([1, 0, 0]);
    expect([await world.status('all'), await world.status('after'), (await world.run()).status]).toEqual([
      'skipped',
      'skipped',
      'completed',
    ]);
  });

  it.each([
    ['bad_request', 1],
    ['auth_failed', 1],
    ['quota_exceeded', 1],
    ['internal', 1],
    ['rate_limited', 3],
    ['provider_unavailable', 3],
    ['network', 3],
    ['timeout', 3],
  ])('engine-17: a read answers %s: %i attempts', async (code, attempts) => {
    const world = new World({ outside: () => fails(code) });
    await world.start(workflow([look('read')]));
    await world.runOut();
    expect([world.count('read'), (await world.run()).error?.code]).toEqual([attempts, code]);
  });

  it('engine-17: a rate limit with Retry-After: the next attempt comes no sooner', async () => {
    const world = new World({ outside: (_, nth) => (nth === 1 ? fails('rate_limited', { retryAfterMs: 9000 }) : 1) });
    await world.start(workflow([look('read')]));
    await world.advance(8999);
    expect(world.count('read')).toBe(1);
    await world.advance(1);
    expect(world.count('read')).toBe(2);
  });

  it('engine-17: a bug of ours throws a TypeError: one attempt, `internal`', async () => {
    const world = new World({ outside: () => (undefined as unknown as { x: { y: 1 } }).x.y });
    await world.start(workflow([look('read')]));
    await world.runOut();
    expect([world.count('read'), (await world.run()).error?.code]).toEqual([1, 'internal']);
  });

  it('engine-17: an error wrapped by another keeps its class and its wait', async () => {
    const world = new World({
      outside: (_, nth) => {
        if (nth > 1) return 1;
        const cause = new TabloomError('rate_limited', 'Too many.', { retryAfterMs: 9000 });
        throw new Error('outer', { cause: new Error('inner', { cause }) });
      },
    });
    await world.start(workflow([look('read')]));
    await world.advance(8999);
    expect(world.count('read')).toBe(1);
    await world.runOut();
    expect([world.count('read'), (await world.run()).status]).toEqual([2, 'completed']);
    expect((await world.step('read'))?.attempts[0]?.error).toMatchObject({
      code: 'rate_limited',
      message: 'Error: outer',
      cause: { message: 'Error: inner', cause: { code: 'rate_limited', message: 'Too many.' } },
    });
  });

  it('engine-18: work outlasts its timeout: it is told to stop, its late result is recorded and not applied, no two at once', async () => {
    let atWork = 0;
    let most = 0;
    const world = new World({
      outside: async (_, nth) => {
        atWork += 1;
        most = Math.max(most, atWork);
        // It does not listen to its signal.
        await world.sleep(nth === 1 ? 1500 : 100);
        atWork -= 1;
        return `attempt ${nth}`;
      },
    });
    await world.start(workflow([look('read', { timeout: '1s', retry: { delay: '2s', jitter: false } })]));
    await world.advance(1000);
    expect(world.calls[0]?.signal.aborted).toBe(true);
    await world.runOut();
    expect([(await world.step('read'))?.output, most]).toEqual(['attempt 2', 1]);
    expect((await world.events()).filter((event) => event.type === 'attempt.late')).toHaveLength(1);
  });

  it('a definition is edited while its run waits: the run goes on with what it was started with, also after a death', async () => {
    const world = new World();
    const steps = (said: string) => [gate('ok'), value('say', said), click(said)];
    await world.start(workflow(steps('before'), { output: '{{step.say}}' }));
    await world.save(workflow(steps('after'), { output: 'edited' }));
    await world.crash();
    await world.decide('ok');
    expect(await world.run()).toMatchObject({ status: 'completed', output: 'before' });
    expect([world.count('before'), world.count('after')]).toEqual([1, 0]);
  });

  it('engine-20: a signal before its wait is reached: kept, and taken once', async () => {
    const world = new World({ outside: () => world.sleep(5000).then(() => 1) });
    const wait = (id: string) => ({ id, type: 'wait', signal: 'go' });
    await world.start(workflow([look('first'), wait('one'), wait('two')]));
    await world.send({ type: 'signal', runId: world.runId, name: 'go', payload: 7 });
    await world.crash();
    await world.advance(10_000);
    expect((await world.step('one'))?.output).toEqual({ wokenBy: 'signal', payload: 7 });
    expect(await world.status('two')).toBe('waiting');
  });

  it('engine-20: a signal in the gap, when the wait is stored and nothing sleeps yet: taken, also by an engine that dies then', async () => {
    for (const dies of [false, true]) {
      let sent: Promise<unknown> | undefined;
      const world: World = new World({
        onCommit: ({ events }) => {
          if (sent || !events.some(({ type }) => type === 'step.waiting')) return;
          sent = world.post({ type: 'signal', runId: events[0]?.runId ?? '', name: 'go', payload: 7 });
          if (dies) world.engine.dispose();
        },
      });
      await world.start(workflow([{ id: 'one', type: 'wait', signal: 'go' }]));
      if (dies) await world.crash();
      expect(sent).toBeDefined();
      const [run] = await world.memory.runs();
      expect(run?.status).toBe('completed');
      expect((await world.memory.steps(run?.runId ?? ''))[0]?.output).toEqual({ wokenBy: 'signal', payload: 7 });
    }
  });

  it('engine-21: two items with equal content: two keys, and the same key over all attempts of one', async () => {
    const world = new World({
      outside: (call, nth) => (call.path === 'each[0]/act' && nth === 1 ? fails('network') : 1),
    });
    await world.start(workflow([{ id: 'each', type: 'loop', over: ['x', 'x'], steps: [go('act')] }]));
    await world.runOut();
    const keys = world.calls.map((call) => call.key);
    expect(keys[0]).toBe(keys[1]);
    expect(new Set(keys).size).toBe(2);
  });

  it('engine-21: two starts with one key at the same moment: one run; with another input: key_conflict', async () => {
    const world = new World();
    const revision = await world.save(workflow([look('read')]));
    const ask = (input: object) => world.engine.start({ revision, input: input as never, trigger: {}, key: 'k' });
    const [a, b, c] = await Promise.all([ask({ n: 1 }), ask({ n: 1 }), ask({ n: 2 })]);
    expect(a).toMatchObject({ ok: true, existing: false });
    expect(b).toMatchObject({ ok: true, existing: true, runId: a.ok && a.runId });
    expect(c).toMatchObject({ ok: false, code: 'key_conflict' });
    expect(await world.memory.runs()).toHaveLength(1);
  });

  it.each([0, 1, 3])('engine-25: a loop over %i items: as many rounds', async (count) => {
    const world = new World();
    await world.start(workflow([each(count, [look('act')])]));
    await world.runOut();
    expect(world.calls).toHaveLength(count);
    expect((await world.step('each'))?.output).toMatchObject({ count, errors: [] });
  });

  it('engine-27: a step with a fallback hangs on every attempt: the fallback stands in, marked degraded', async () => {
    const world = new World({ outside: (call) => world.hang(call.signal) });
    await world.start(workflow([look('read', { timeout: '1s', fallback: { value: 'none' } })]));
    await world.runOut();
    expect(await world.step('read')).toMatchObject({ status: 'completed', degraded: true, output: 'none' });
    expect(world.count('read')).toBe(3);
  });

  it('engine-28: a field that is missing at run time: template_unresolved with step, field and path', async () => {
    const world = new World();
    await world.start(workflow([value('a', { x: 1 }), value('b', '{{step.a.y}}')]));
    expect((await world.run()).error).toMatchObject({
      code: 'template_unresolved',
      step: 'b',
      field: 'arguments.value',
      path: 'step.a.y',
    });
  });

  it('engine-28: an optional input of a recipe that is not given: step, field and path, and the model is not asked', async () => {
    let asked = 0;
    const world = new World({ model: async () => ({ text: `${++asked}` }) as never });
    const recipes = {
      grade: { prompt: 'Grade {{input.line}} as {{input.tone}}', inputSchema: { type: 'object' } },
    };
    await world.start(workflow([{ id: 'ask', type: 'recipe', recipe: 'grade', input: { line: 'x' } }], { recipes }));
    expect((await world.run()).error).toMatchObject({
      code: 'template_unresolved',
      step: 'ask',
      field: 'recipes.grade.prompt',
      path: 'input.tone',
    });
    expect(asked).toBe(0);
  });
});

describe('approval', () => {
  it('approval-1: two branches of two approvals, the first of one decided: pending are its second and the first of the other', async () => {
    const world = new World();
    await world.start(workflow([side({ a: [gate('a1'), gate('a2')], b: [gate('b1'), gate('b2')] })]));
    await world.decide('a1');
    await world.crash();
    expect(await world.pending()).toEqual(['a2', 'b1']);
  });

  it('approval-3: an approval inside a loop: each round waits for its own decision', async () => {
    const world = new World();
    await world.start(workflow([each(2, [gate('ok')])]));
    await world.decide('each[0]/ok');
    expect(await world.pending()).toEqual(['each[1]/ok']);
  });

  it('approval-4: an approval expires and has a fallback list: it runs with the code, nothing runs as if approved', async () => {
    const world = new World();
    await world.start(
      workflow([
        gate('ok', { expiresAfter: '1m', covers: ['send'], fallback: { steps: [value('note', '{{error.code}}')] } }),
        click('send'),
      ]),
    );
    await world.advance(60_000);
    expect((await world.step('note'))?.output).toBe('approval_expired');
    expect((await world.events()).find((event) => event.type === 'approval.closed')?.data).toEqual({
      status: 'expired',
    });
    // What nobody approved is asked about, not done.
    expect([world.count('send'), await world.pending()]).toEqual([0, ['send']]);
  });

  it('approval-5: the same click three times: one decision, the repeats are accepted, the second approval still waits', async () => {
    const world = new World();
    await world.start(workflow([gate('one'), gate('two')]));
    const hash = (await world.approval('one'))?.hash as string;
    const clicks = await Promise.all(
      [1, 2, 3].map(() => world.post({ type: 'decide', runId: world.runId, path: 'one', hash, decision: 'approved' })),
    );
    await world.settle();
    expect(clicks.map((result) => result.ok)).toEqual([true, true, true]);
    expect((await world.events()).filter((event) => event.type === 'approval.decided')).toHaveLength(1);
    expect(await world.pending()).toEqual(['two']);
  });

  it('approval-10: the engine dies at an approval: same hash and expiry, deciding leads on', async () => {
    const world = new World();
    await world.start(workflow([gate('ok'), click('send')]));
    const before = await world.approval('ok');
    await world.crash();
    expect(await world.approval('ok')).toEqual(before);
    await world.decide('ok');
    expect(world.count('send')).toBe(1);
  });

  it('approval-11: cancelled meanwhile: the approval is closed, a late answer is told', async () => {
    const world = new World();
    await world.start(workflow([gate('ok')]));
    const hash = (await world.approval('ok'))?.hash;
    await world.do('cancel');
    expect(await world.pending()).toEqual([]);
    expect(await world.decide('ok', 'approved', { hash })).toMatchObject({ ok: false, code: 'run_finished' });
  });

  it('approval-11: cancelled meanwhile: the approval and a late answer say by whom and when, also after the run has left memory', async () => {
    const world = new World();
    await world.start(workflow([each(2, [gate('ok')], { concurrency: 2 })]));
    await world.advance(1000);
    await world.send({ type: 'cancel', runId: world.runId }, { by: 'client:helper' });
    const late = {
      ok: false,
      code: 'run_finished',
      details: { outcome: 'cancelled', by: 'client:helper', at: START + 1000 },
    };
    for (const again of [false, true]) {
      if (again) await world.crash();
      for (const path of ['each[0]/ok', 'each[1]/ok']) {
        const approval = await world.approval(path);
        expect(approval).toMatchObject({ status: 'cancelled', closed: { by: 'client:helper', at: START + 1000 } });
        expect(await world.decide(path, 'approved', { hash: approval?.hash })).toMatchObject(late);
      }
    }
  });

  it('approval-11: decided, the item forgotten, answered again: told who decided; the same answer is accepted', async () => {
    const world = new World();
    await world.start(workflow([each(2, [gate('ok')]), gate('end')]));
    const hash = (await world.approval('each[0]/ok'))?.hash;
    await world.decide('each[0]/ok');
    await world.decide('each[1]/ok');
    expect(liveState(world.engine, world.runId)?.steps.has('each[0]/ok')).toBe(false);
    expect(await world.decide('each[0]/ok', 'rejected', { hash })).toMatchObject({
      ok: false,
      code: 'already_decided',
    });
    expect(await world.decide('each[0]/ok', 'approved', { hash })).toMatchObject({ ok: true });
  });
});

it('a run with everything in it: the chain verifies, the journal folds to the live state', async () => {
  const world = new World();
  await world.start(workflow([each(2, [click('act'), gate('ok')], { concurrency: 2 }), look('end')]));
  await world.decide('each[0]/ok');
  const live = liveState(world.engine, world.runId);
  if (!live) throw new Error('the run is not in memory');
  await checkReplay(world.memory, live);
  await world.decide('each[1]/ok');
  await world.runOut();
  expect(verifyChain(await world.events())).toBeUndefined();
});
