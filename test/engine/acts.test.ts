import { describe, expect, it } from 'vitest';
import { findIn } from '../../src/engine/children/pins.ts';
import { scopeAt } from '../../src/engine/scope.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { ModelPort } from '../../src/ports/model.ts';
import { click, fails, gate, go, look, value, World, workflow } from '../support/engine.ts';
import { liveState } from '../support/replay.ts';
import { TOKENS } from './secrets/tokens.ts';

const tabsAt = (...urls: string[]) => ({
  list: urls.map((url, n) => ({ tab: `t${n + 1}`, browserTabId: n + 1, session: 's', url, title: 'T' })),
  current: 't1',
  next: urls.length + 1,
});

describe('what a gate covers', () => {
  const asked = async (steps: JsonObject[], more: JsonObject = {}, input: JsonObject = {}, start: JsonObject = {}) => {
    const world = new World();
    await world.start(workflow(steps, more), input, start as never);
    return world;
  };

  it('an act in a tab without an address of its own has no origin, and no rule may stand for it', async () => {
    const world = await asked(
      [gate('ok', { covers: ['send'] }), click('send')],
      {},
      {},
      { tabs: tabsAt('about:blank') },
    );
    expect(await world.approval('ok')).toMatchObject({ covers: [{ tab: 't1' }] });
    expect((await world.approval('ok'))?.covers[0]?.origin).toBeUndefined();
    expect((await world.approval('ok'))?.standing).toBeUndefined();
  });

  it('an address that has no origin leads to no site, so that no rule may stand for it', async () => {
    const open = go('open', { arguments: { url: '{{workflow_input.url}}' } });
    const world = await asked([gate('ok', { covers: ['open'] }), open], {}, { url: 'data:text/html,x' });
    expect((await world.approval('ok'))?.standing).toBeUndefined();
  });

  it('a question to a model touches no site: no rule may be given for it alone; beside an act it is part of what the rule is for', async () => {
    const recipe = { id: 'ask', type: 'recipe', recipe: 'r', input: '{{workflow_input.who}}' };
    const recipes = (prompt: string) => ({ recipes: { r: { prompt: `${prompt} {{input}}` } } });
    const alone = await asked([gate('ok', { covers: ['ask'] }), recipe], recipes('Hi'), { who: 'Ann' });
    expect(await alone.approval('ok')).toMatchObject({ covers: [{ stepId: 'ask', arguments: 'Ann' }] });
    expect((await alone.approval('ok'))?.standing).toBeUndefined();

    const both = (prompt: string) =>
      workflow([gate('ok', { covers: ['ask', 'send'] }), recipe, click('send')], recipes(prompt));
    const world = new World({
      model: async () => ({ text: 'x', usage: { inputTokens: 1, outputTokens: 1 } }) as never,
    });
    const start = { tabs: tabsAt('https://app.example/') };
    await world.start(both('Hi'), { who: 'Ann' }, start as never);
    const hash = (await world.approval('ok'))?.hash ?? '';
    const command = {
      type: 'decide',
      runId: world.runId,
      path: 'ok',
      hash,
      decision: 'approved',
      always: true,
    } as const;
    expect(await world.send(command)).toMatchObject({ ok: true });
    await world.start(both('Hi'), { who: 'Bob' }, start as never);
    expect([await world.pending(), world.count('send')]).toEqual([[], 2]);
    // The same step with another text of its recipe is something else.
    await world.start(both('Hello'), { who: 'Bob' }, start as never);
    expect([await world.pending(), world.count('send')]).toEqual([['ok'], 2]);
  });

  it('a search in the knowledge base: shown without arguments', async () => {
    const world = await asked([gate('ok', { covers: ['seek'] }), { id: 'seek', type: 'kb_search', query: 'x' }]);
    expect(await world.approval('ok')).toMatchObject({ covers: [{ stepId: 'seek', arguments: {} }] });
  });

  const loop = (items: number, size: number): JsonObject[] => [
    value('text', 'x'.repeat(size)),
    gate('ok', { covers: ['send'] }),
    {
      id: 'each',
      type: 'loop',
      over: Array.from({ length: items }, (_, n) => n),
      maxItems: 2000,
      steps: [click('send', { arguments: { target: { text: '{{step.text}}{{loop_item}}' } } })],
    },
  ];

  it('more acts than anybody reads, or more text: not asked, and nothing is done', async () => {
    const many = await asked(loop(1001, 1));
    expect([(await many.run()).error?.code, many.calls.length]).toEqual(['not_visible', 0]);
    expect((await many.run()).error?.message).toContain('more than 1000 acts');
    const large = await asked(loop(1000, 2000));
    expect([(await large.run()).error?.code, large.calls.length]).toEqual(['output_too_large', 0]);
  });

  it('an act whose fields put a secret together: refused at the gate, without saying it', async () => {
    const token = TOKENS.github_token as string;
    const world = await asked(
      [
        gate('ok', { covers: ['send'] }),
        click('send', { arguments: { target: { text: '{{workflow_input.a}}{{workflow_input.b}}' } } }),
      ],
      {},
      { a: token.slice(0, 10), b: token.slice(10) },
    );
    expect((await world.run()).error?.code).toBe('secret_detected');
    expect(JSON.stringify([await world.events(), await world.memory.approvals({ runId: world.runId })])).not.toContain(
      token,
    );
  });

  it('approval-6: one of two tabs has moved: only its own address is put right', async () => {
    const world: World = new World({
      outside: (call) =>
        call.path === 'send' && world.count('send') === 1
          ? fails('approval_mismatch', { details: { origin: 'https://evil.example' } })
          : {},
    });
    const tabs = tabsAt('https://app.example/form', 'https://app.example/list');
    await world.start(workflow([gate('ok', { covers: ['send'] }), click('send')]), {}, { tabs } as never);
    await world.decide('ok');
    expect(liveState(world.engine, world.runId)?.tabs.list.map(({ url }) => url)).toEqual([
      'https://evil.example/',
      'https://app.example/list',
    ]);
    expect(await world.approval('send')).toMatchObject({
      status: 'pending',
      covers: [{ origin: 'https://evil.example' }],
    });
  });
});

describe("an agent's call", () => {
  it('was approved, and the tab has moved by then: not done, and asked about as it is now, beside what was approved', async () => {
    let turns = 0;
    const world: World = new World({
      model: async () => {
        turns += 1;
        const toolCalls =
          turns === 1 ? [{ id: 'c', tool: 'browser_click', arguments: { target: { text: 'Buy' } } }] : undefined;
        return {
          text: 'done',
          toolCalls,
          usage: { inputTokens: 1, outputTokens: 1 },
          model: 'm',
          finish: 'stop',
        } as never;
      },
      outside: (call) =>
        world.count(call.path) === 1
          ? fails('approval_mismatch', { details: { origin: 'https://evil.example' } })
          : { matched: 0 },
    });
    const agents = { buyer: { instructions: 'Buy.', tools: ['browser_click'] } };
    const definition = workflow([{ id: 'act', type: 'agent', agent: 'buyer', goal: 'Buy.' }], { agents });
    await world.start(definition, {}, { tabs: tabsAt('https://app.example/') } as never);
    const path = 'act[1]/browser_click';
    const first = await world.approval(path);
    await world.decide(path);
    const again = await world.approval(path);
    expect(again).toMatchObject({
      status: 'pending',
      covers: [{ origin: 'https://evil.example' }],
      show: { approved: { origin: 'https://app.example' } },
      replaces: { hash: first?.approvalId },
    });
    expect(await world.decide(path, 'approved', { hash: first?.hash })).toMatchObject({ code: 'approval_mismatch' });
    await world.decide(path);
    await world.runOut();
    expect([world.count(path), (await world.run()).status]).toEqual([2, 'completed']);
  });
});

describe('attempts', () => {
  it('time runs out while a once step still looks: nothing was done, so it is tried again and nobody is asked', async () => {
    const world: World = new World({
      outside: (call, nth) => {
        if (nth > 1) return {};
        call.looking?.();
        return world.hang(call.signal);
      },
    });
    await world.start(workflow([click('send', { timeout: '5s' })]));
    await world.runOut();
    expect([world.count('send'), (await world.run()).status, world.calls[0]?.signal.aborted]).toEqual([
      2,
      'completed',
      true,
    ]);
    expect((await world.step('send'))?.attempts[0]?.error).toMatchObject({ code: 'timeout', acted: false });
  });

  it('cut off with large arguments: the question says where, and leaves them out', async () => {
    const world: World = new World({ outside: (call) => world.hang(call.signal) });
    const text = 'x'.repeat(5000);
    await world.start(workflow([click('send', { arguments: { target: { text } } })]), {}, {
      tabs: tabsAt('https://app.example/form'),
    } as never);
    await world.crash();
    const { wait } = (await world.step('send')) ?? {};
    expect(wait).toMatchObject({ kind: 'recovery', data: { page: { url: 'https://app.example/form' } } });
    expect(wait?.data).not.toHaveProperty('act');
  });

  it('the engine dies while the last cached result is looked up: looked up again, and it stands in', async () => {
    const world = new World({
      outside: (_, nth) => (nth === 1 ? { n: 1 } : fails('bad_request')),
      wrap: (store) => ({ ...store }),
    });
    const definition = workflow([look('see', { cache: { ttl: '1s', key: 'k' }, fallback: { cached: true } })]);
    await world.start(definition);
    await world.advance(5000);
    await world.start(definition);
    expect((await world.run()).status).toBe('completed');
    // The attempt looks first whether there is a fresh one; only the look after it is held.
    let asked = 0;
    const { cached } = world.store;
    world.store.cached = (key) => {
      asked += 1;
      return asked === 2 ? new Promise<never>(() => {}) : cached(key);
    };
    await world.start(definition);
    expect((await world.run()).status).toBe('running');
    world.store.cached = cached;
    await world.crash();
    await world.runOut();
    expect(await world.step('see')).toMatchObject({ status: 'completed', degraded: true, output: { n: 1 } });
  });

  it('a result that is used again: what it had cost is told as saved, over several of them, and is not spent', async () => {
    const usage = { inputTokens: 10, outputTokens: 5, usd: 0.25 };
    let asked = 0;
    const modelPort: ModelPort = {
      generate: async () => {
        asked += 1;
        return { text: 'x', usage, model: 'm', finish: 'stop' };
      },
      configured: async () => true,
      price: () => undefined,
    };
    const world = new World({ modelPort });
    const ask = (id: string): JsonObject => ({ id, type: 'recipe', prompt: 'Hi', cache: { ttl: '1h', key: id } });
    const definition = workflow([ask('a'), ask('b')]);
    await world.start(definition);
    expect(await world.run()).toMatchObject({ status: 'completed', usage: { usd: 0.5 } });
    expect((await world.run()).saved).toBeUndefined();
    await world.start(definition);
    expect(await world.run()).toMatchObject({
      status: 'completed',
      usage: { inputTokens: 0, outputTokens: 0 },
      saved: { inputTokens: 20, outputTokens: 10, usd: 0.5 },
    });
    expect(await world.step('b')).toMatchObject({ saved: usage });
    expect((await world.step('b'))?.usage).toBeUndefined();
    expect(asked).toBe(2);
    // The same from the journal alone.
    await world.crash();
    expect((await world.run()).saved).toEqual({ inputTokens: 20, outputTokens: 10, usd: 0.5 });
  });

  it('a wake for a step that waits for a permission: it looks again', async () => {
    const world = new World({
      outside: (_, nth) =>
        nth === 1 ? fails('permission_denied', { details: { origin: 'https://app.example' } }) : {},
    });
    await world.start(workflow([look('read')]));
    expect((await world.run()).waitingFor).toEqual(['permission']);
    expect(await world.send({ type: 'wake', runId: world.runId, path: 'read' })).toEqual({ ok: true });
    expect((await world.run()).status).toBe('completed');
  });

  it('a run is cancelled with a reason: it says by whom and why', async () => {
    const world = new World();
    await world.start(workflow([gate('ok')]));
    await world.send({ type: 'cancel', runId: world.runId, reason: 'too dear' }, { by: 'anna' });
    expect((await world.run()).error).toMatchObject({ code: 'cancelled', message: 'Cancelled by anna: too dear.' });
  });

  it('an output of the run that is larger than a value may be: the run fails with that', async () => {
    const world = new World();
    const half = 'x'.repeat(600_000);
    await world.start(workflow([value('a', half), value('b', half)], { output: ['{{step.a}}', '{{step.b}}'] }));
    expect((await world.run()).error?.code).toBe('output_too_large');
  });

  it('a secret is no step: whatever a template asks of it outside the arguments of an act', async () => {
    const world = new World();
    await world.start(workflow([value('pin', 1), gate('ok')]));
    const state = liveState(world.engine, world.runId);
    expect(state && scopeAt(state, {}).member('secret', 'pin')).toBeUndefined();
    expect(state && scopeAt(state, {}).member('step', 'pin')).toBe(1);
  });
});

describe('a review', () => {
  const review = (more: JsonObject = {}): JsonObject => ({
    id: 'rev',
    type: 'review',
    title: 'Read',
    content: 'draft',
    ...more,
  });
  const say = async (world: World, decision: 'accept' | 'edit', content?: string) =>
    world.send({
      type: 'review',
      runId: world.runId,
      path: 'rev',
      hash: (await world.step('rev'))?.wait?.subject ?? '',
      decision,
      content,
    });

  it('is given back with a secret in it: refused, or taken out, as the workflow says', async () => {
    const token = TOKENS.github_token as string;
    const world = new World();
    await world.start(workflow([review()]));
    expect(await say(world, 'edit', `use ${token}`)).toMatchObject({ ok: false, code: 'secret_detected' });
    expect(await say(world, 'edit', 'use it')).toEqual({ ok: true });
    const other = new World();
    await other.start(workflow([review()], { secretPolicy: 'redact', output: '{{step.rev.content}}' }));
    expect(await say(other, 'edit', `use ${token}`)).toEqual({ ok: true });
    expect((await other.run()).output).toBe('use [redacted:github_token]');
  });

  it('comes too late, before anybody has noticed: it is over', async () => {
    const world = new World();
    await world.start(workflow([review({ expiresAfter: '1h' })]));
    const { wait } = (await world.step('rev')) ?? {};
    world.engine.dispose();
    world.clock.advanceTo(world.clock.now() + 7_200_000);
    world.engine = world.makeEngine();
    const command = {
      type: 'review',
      runId: world.runId,
      path: 'rev',
      hash: wait?.subject ?? '',
      decision: 'accept',
    } as const;
    expect((await world.send(command)).ok).toBe(false);
    expect((await world.run()).error?.code).toBe('review_expired');
  });
});

describe('called workflows', () => {
  const inner = (said: string) => ({
    ...workflow([look('see')], { output: said }),
    id: 'inner',
    name: 'Inner',
  });

  it('by a revision: that one runs, whatever is newest; a beginning that fits none is missing', async () => {
    const world = new World();
    const { revision } = await world.save(inner('first'));
    await world.save(inner('second'));
    for (const [reference, output] of [
      [`inner@${revision.slice(0, 8)}`, 'first'],
      [`inner@${revision}`, 'first'],
      ['inner', 'second'],
    ]) {
      await world.start(
        workflow([{ id: 'c', type: 'subworkflow', workflow: reference as string }], { output: '{{step.c}}' }),
      );
      await world.runOut();
      expect((await world.run()).output).toBe(output);
    }
    const wrong = workflow([{ id: 'c', type: 'subworkflow', workflow: `inner@${'0'.repeat(64)}` }]);
    expect(await world.start(wrong)).toMatchObject({ ok: false, code: 'workflow_missing' });
  });

  it('a beginning that two revisions share names none of them; one that is whole is meant', async () => {
    const of = (revision: string) => ({ workflowId: 'w', revision, definition: inner(revision), createdAt: 0 });
    const row = { workflowId: 'w', name: 'W', revision: 'abc', enabled: true, createdAt: 0, updatedAt: 0 };
    const find = findIn({
      workflow: async () => row,
      revision: async (revision) => of(revision),
      revisions: async () => [of('abc'), of('abcd'), of('abcde')],
    });
    expect(await find('w@ab')).toBeUndefined();
    expect(await find('w@abc')).toMatchObject({ revision: 'abc' });
    expect(await find('w@abcde')).toMatchObject({ revision: 'abcde' });
  });

  it('a tab that is passed on is the first of the called run, under a name of its own', async () => {
    const world = new World();
    await world.save(inner('x'));
    const tabs = { ...tabsAt('https://app.example/a', 'https://app.example/b') };
    await world.start(workflow([{ id: 'c', type: 'subworkflow', workflow: 'inner', tab: 't2' }]), {}, {
      tabs,
    } as never);
    await world.runOut();
    const child = (await world.step('c'))?.child ?? '';
    expect((await world.memory.events(child))[0]?.data.tabs).toMatchObject({
      list: [{ tab: 't1', browserTabId: 2, url: 'https://app.example/b' }],
      current: 't1',
    });
  });

  it('its spending is that of the one around it, to the cent and the cached token, over several calls', async () => {
    const usage = { inputTokens: 10, outputTokens: 5, cachedTokens: 4, usd: 0.25, estimated: true };
    const modelPort: ModelPort = {
      generate: async () => ({ text: 'x', usage, model: 'm', finish: 'stop' }),
      configured: async () => true,
      price: () => undefined,
    };
    const world = new World({ modelPort });
    const ask = (id: string): JsonObject => ({ id, type: 'recipe', prompt: 'Hi' });
    await world.save({ ...workflow([ask('a'), gate('ok'), ask('b')]), id: 'inner', name: 'Inner' });
    await world.start(workflow([{ id: 'c', type: 'subworkflow', workflow: 'inner' }, ask('last')]));
    expect((await world.run()).usage).toEqual(usage);
    await world.decide('c/ok', 'approved', { hash: (await world.memory.approvals({ status: 'pending' }))[0]?.hash });
    await world.runOut();
    const sum = { inputTokens: 30, outputTokens: 15, cachedTokens: 12, usd: 0.75, estimated: true };
    expect(await world.run()).toMatchObject({ status: 'completed', usage: sum });
    expect((await world.step('c'))?.usage).toEqual({
      inputTokens: 20,
      outputTokens: 10,
      cachedTokens: 8,
      usd: 0.5,
      estimated: true,
    });
  });

  it('commands given to the outer run: by a path of its own loop, a signal nobody waits for, a limit nobody asks for', async () => {
    const world = new World();
    await world.save(inner('x'));
    await world.start(
      workflow([
        { id: 'c', type: 'subworkflow', workflow: 'inner' },
        { id: 'each', type: 'loop', over: [1], steps: [gate('ok')] },
        { id: 'hold', type: 'wait', signal: 'later' },
      ]),
    );
    await world.send({ type: 'signal', runId: world.runId, name: 'later', payload: 7 });
    expect(await world.send({ type: 'raiseBudget', runId: world.runId, tokens: 5 })).toMatchObject({
      code: 'not_waiting',
    });
    expect(await world.decide('each[0]/ok')).toMatchObject({ ok: true });
    expect((await world.step('hold'))?.output).toEqual({ wokenBy: 'signal', payload: 7 });
    expect((await world.run()).status).toBe('completed');
  });
});
