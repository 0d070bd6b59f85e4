import { describe, expect, it } from 'vitest';
import { makeRule } from '../../src/engine/approvals/rules.ts';
import { compilePlan } from '../../src/engine/plan.ts';
import { verifyChain } from '../../src/model/events.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { StandingRule } from '../../src/model/rules.ts';
import { registry } from '../../src/steps/index.ts';
import { click, fails, gate, go, START, value, World, workflow } from '../support/engine.ts';
import { checkReplay, liveState } from '../support/replay.ts';

/** approval-7: a person's *always* for a reversible act of a workflow on a site. */

const SITE = 'https://app.example';
const DAY = 86_400_000;
const TABS = {
  list: [{ tab: 't1', browserTabId: 1, session: 's', url: `${SITE}/list`, title: 'List' }],
  current: 't1',
  next: 2,
};

/** A run that is asked before it saves. */
const saving = (more: JsonObject = {}, save: JsonObject = {}) =>
  workflow([gate('ask', { covers: ['save'], ...more }), click('save', save)], { output: { ask: '{{step.ask}}' } });

async function begun(definition = saving(), world = new World(), tabs = TABS): Promise<World> {
  expect(await world.start(definition, {}, { tabs })).toMatchObject({ ok: true });
  return world;
}

async function always(world: World, path = 'ask', more: { by?: string } = {}) {
  const hash = (await world.approval(path))?.hash ?? '';
  return world.send({ type: 'decide', runId: world.runId, path, hash, decision: 'approved', always: true }, more);
}

/** A world in which the *always* was given in a first run, which has ended. */
async function given(definition = saving()): Promise<World> {
  const world = await begun(definition);
  expect(await always(world)).toMatchObject({ ok: true });
  expect((await world.run()).status).toBe('completed');
  return world;
}

const rules = (world: World) => world.memory.rules();

describe('approval-7: a standing rule', () => {
  it('given with a yes, then a new process and the same act again: nobody is asked, it is in the chain by the rule, and counted', async () => {
    const world = await given();
    const [rule] = await rules(world);
    expect(rule).toMatchObject({
      workflowId: 'w',
      stepId: 'ask',
      acts: [{ stepId: 'save', action: 'click', origins: [SITE] }],
      by: 'person',
      createdAt: START,
      expiresAt: START + 30 * DAY,
      uses: 0,
    });
    await world.crash();
    await world.advance(DAY);
    await begun(saving(), world);
    const run = await world.run();
    expect(run).toMatchObject({
      status: 'completed',
      output: { ask: { decision: 'approved', by: `rule:${rule?.ruleId}` } },
    });
    expect(world.count('save')).toBe(2);
    const [approval] = await world.memory.approvals({ runId: world.runId });
    expect(approval).toMatchObject({
      status: 'approved',
      decision: { by: `rule:${rule?.ruleId}`, rule: { by: 'person', givenAt: START } },
    });
    const events = await world.events();
    expect(verifyChain(events)).toBeUndefined();
    expect(events.map(({ type }) => type).filter((type) => type.startsWith('approval.'))).toEqual([
      'approval.requested',
      'approval.decided',
    ]);
    expect(await rules(world)).toMatchObject([{ uses: 1, lastUsedAt: START + DAY }]);
  });

  it('decided by a rule, the run goes on: the journal alone says the same, whatever rules there are by then', async () => {
    const definition = workflow([...saving().steps, gate('last')] as unknown as JsonObject[]);
    const world = await begun(definition);
    await always(world);
    await begun(definition, world);
    expect(await world.pending()).toEqual(['last']);
    await world.engine.standing.withdraw((await rules(world))[0]?.ruleId ?? '');
    const live = liveState(world.engine, world.runId);
    expect(live && (await checkReplay(world.memory, live)).steps.get('ask')?.row.status).toBe('completed');
    await world.crash();
    expect(await world.pending()).toEqual(['last']);
    expect(world.count('save')).toBe(2);
  });

  it('withdrawn: the same act asks again', async () => {
    const world = await given();
    const [rule] = await rules(world);
    await world.engine.standing.withdraw(rule?.ruleId ?? '');
    await begun(saving(), world);
    expect(await world.pending()).toEqual(['ask']);
    expect(await rules(world)).toEqual([]);
  });

  it('past its end: the same act asks again', async () => {
    const world = await given();
    await world.advance(30 * DAY);
    await begun(saving(), world);
    expect(await world.pending()).toEqual(['ask']);
  });

  const OTHERS: [what: string, definition: ReturnType<typeof saving>][] = [
    ['another target of the covered step', saving({}, { arguments: { target: { text: 'Delete' } } })],
    ['another action of the covered step', saving({}, { action: 'check' })],
    ['another title of the gate', saving({ title: 'May I do something else?' })],
    ['another role of the gate', saving({ requiredRole: 'boss' })],
    ['one more covered step', workflow([gate('ask', { covers: ['save', 'more'] }), click('save'), click('more')])],
    ['another gate of the same name in another workflow', { ...saving(), id: 'other' }],
    ...(['irreversible', 'money', 'message'] as const).map((risk): [string, ReturnType<typeof saving>] => [
      `risk ${risk}`,
      saving({ risk }),
    ]),
  ];
  for (const [what, definition] of OTHERS)
    it(`${what}: asks`, async () => {
      const world = await given();
      await begun(definition, world);
      expect(await world.pending()).toEqual(['ask']);
    });

  it('a change elsewhere in the workflow: still decides', async () => {
    const world = await given();
    await begun(workflow([...saving().steps, value('after', 1)] as unknown as JsonObject[]), world);
    expect((await world.run()).status).toBe('completed');
  });

  it('the same act on another site: asks, and the yes there can stand beside the first', async () => {
    const world = await given();
    const elsewhere = {
      ...TABS,
      list: [{ ...(TABS.list[0] as object), url: 'https://other.example/' }],
    } as typeof TABS;
    await begun(saving(), world, elsewhere);
    expect(await world.pending()).toEqual(['ask']);
    await world.advance(1);
    await always(world);
    expect((await rules(world)).map(({ acts }) => acts[0]?.origins)).toEqual([['https://other.example'], [SITE]]);
  });

  it('an address that an act leads to counts as a site: one on another site asks', async () => {
    const to = (url: string) =>
      workflow([
        value('where', url),
        gate('ask', { covers: ['open'] }),
        go('open', { arguments: { url: '{{step.where}}' } }),
      ]);
    const world = await begun(to(`${SITE}/a`), new World(), { list: [], next: 1 } as unknown as typeof TABS);
    await always(world);
    await begun(to(`${SITE}/b`), world);
    expect(await world.pending()).toEqual([]);
    await begun(to('https://app.example.evil/'), world);
    expect(await world.pending()).toEqual(['ask']);
  });

  it('the page turns out to be on another site at the moment of the act: not done, and a person is asked, not the rule', async () => {
    const world = new World({
      outside: ({ path }, nth) =>
        path === 'save' && nth === 2
          ? fails('approval_mismatch', { details: { origin: 'https://other.example' } })
          : {},
    });
    await begun(saving(), world);
    await always(world);
    await begun(saving(), world);
    expect(await world.pending()).toEqual(['save']);
    expect(await world.approval('save')).toMatchObject({ covers: [{ origin: 'https://other.example' }] });
    expect((await world.approval('save'))?.standing).toBeUndefined();
  });

  it('inside a loop: each round is decided by it and counted, under its own hash', async () => {
    const each = workflow([
      {
        id: 'each',
        type: 'loop',
        over: '{{workflow_input.items}}',
        steps: [gate('ask', { covers: ['save'] }), click('save', { arguments: { target: { text: '{{loop_item}}' } } })],
      },
    ]);
    const world = new World();
    await world.start(each, { items: ['a'] }, { tabs: TABS });
    await always(world, 'each[0]/ask');
    await world.start(each, { items: ['b', 'c', 'd'] }, { tabs: TABS });
    expect((await world.run()).status).toBe('completed');
    const approvals = await world.memory.approvals({ runId: world.runId });
    expect(new Set(approvals.map(({ hash }) => hash)).size).toBe(3);
    expect((await rules(world))[0]?.uses).toBe(3);
  });

  it('the person lost the role meanwhile: asks', async () => {
    const world = new World();
    await world.memory.setSetting('profile', { roles: ['owner', 'boss'] });
    await world.crash();
    const definition = saving({ requiredRole: 'boss' });
    await begun(definition, world);
    const hash = (await world.approval('ask'))?.hash ?? '';
    await world.send(
      { type: 'decide', runId: world.runId, path: 'ask', hash, decision: 'approved', always: true },
      { roles: ['boss'] },
    );
    await begun(definition, world);
    expect(await world.pending()).toEqual([]);
    await world.memory.setSetting('profile', { roles: ['owner'] });
    await world.engine.standing.load();
    await begun(definition, world);
    expect(await world.pending()).toEqual(['ask']);
  });

  it('everything is stopped: nothing is decided by a rule; lifted and resumed, it is', async () => {
    const slow = workflow([{ id: 'later', type: 'wait', for: '1h' }, ...(saving().steps as unknown as JsonObject[])]);
    const world = await given();
    await begun(slow, world);
    await world.engine.emergencyStop(true);
    await world.advance(2 * 3_600_000);
    expect((await world.memory.approvals({ runId: world.runId })).length).toBe(0);
    expect(world.count('save')).toBe(1);
    await world.engine.emergencyStop(false);
    await world.do('resume');
    expect((await world.run()).status).toBe('completed');
  });
});

describe('an always that may not stand', () => {
  const refused = async (world: World, more: { by?: string } = {}) => {
    expect((await world.approval('ask'))?.status).toBe('pending');
    expect(await always(world, 'ask', more)).toMatchObject({ ok: false, code: 'rule_not_allowed' });
    expect(await world.pending()).toEqual(['ask']);
    expect(await rules(world)).toEqual([]);
  };

  for (const risk of ['irreversible', 'money', 'message'])
    it(`for risk ${risk}: not offered, and refused`, async () => {
      const world = await begun(saving({ risk }));
      expect((await world.approval('ask'))?.standing).toBeUndefined();
      await refused(world);
    });

  it('for a gate that names no act: not offered, and refused', async () => {
    const world = await begun(workflow([gate('ask'), click('save')]));
    expect((await world.approval('ask'))?.standing).toBeUndefined();
    await refused(world);
  });

  it('where it is not known on which site: not offered, and refused', async () => {
    const world = await begun(saving(), new World(), { list: [], next: 1 } as unknown as typeof TABS);
    expect((await world.approval('ask'))?.standing).toBeUndefined();
    await refused(world);
  });

  it('by a client: refused', async () => {
    const world = await begun();
    expect((await world.approval('ask'))?.standing).toEqual({ origins: [SITE] });
    await refused(world, { by: 'client:helper' });
  });

  it('with edits, or for an edited question: refused, since the next one would not be edited', async () => {
    const editable = { type: 'object', properties: { note: { type: 'string' } } };
    const world = await begun(saving({ show: { note: 'a' }, editable }));
    const hash = (await world.approval('ask'))?.hash ?? '';
    const edits = { note: 'b' };
    const runId = world.runId;
    expect(
      await world.send({ type: 'decide', runId, path: 'ask', hash, decision: 'approved', always: true, edits }),
    ).toMatchObject({ code: 'rule_not_allowed' });
    expect(await world.send({ type: 'edit', runId, path: 'ask', hash, edits })).toMatchObject({ ok: true });
    expect((await world.approval('ask'))?.standing).toBeUndefined();
    await refused(world);
  });

  it('with a no: it is a no, and no rule', async () => {
    const world = await begun();
    const hash = (await world.approval('ask'))?.hash ?? '';
    await world.send({ type: 'decide', runId: world.runId, path: 'ask', hash, decision: 'rejected', always: true });
    expect((await world.run()).error?.code).toBe('approval_rejected');
    expect(await rules(world)).toEqual([]);
  });
});

describe('rows that somebody wrote by hand', () => {
  /** The same question as the rule was given for, but with a risk: its scope and everything else in the row fit. */
  async function written(more: Partial<StandingRule>, risk: string): Promise<World> {
    const world = new World();
    const definition = saving({ risk });
    await begun(definition, world);
    const approval = await world.approval('ask');
    // Made as the engine makes it, by asking its own parts.
    const plan = compilePlan(definition, 'r', registry);
    const rule = makeRule(plan, plan.steps.get('ask') as never, approval as never, 'person', START);
    await world.do('cancel');
    const run = await world.run();
    await world.memory.commit({
      runId: run.runId,
      events: [],
      run,
      steps: [],
      approvals: [],
      artifacts: [],
      blobs: [],
      inbox: [],
      strict: true,
      rules: [{ ...rule, ...more }],
    });
    await world.crash();
    await begun(definition, world);
    return world;
  }

  it('a whole row for a reversible gate: decides, so the row is right', async () => {
    expect(await (await written({}, 'reversible')).pending()).toEqual([]);
  });

  for (const risk of ['irreversible', 'money', 'message'])
    it(`for risk ${risk}: the gate asks all the same`, async () => {
      expect(await (await written({}, risk)).pending()).toEqual(['ask']);
    });

  const BROKEN: Partial<StandingRule>[] = [
    { acts: [] },
    { acts: 'all' as never },
    { expiresAt: '9999' as never },
    { scope: undefined as never },
    { createdAt: START + DAY },
    { acts: [{ stepId: 'save', name: 'save', type: 'browser_action', action: 'click', origins: [] }] },
    { acts: [{ stepId: 'save', name: 'save', type: 'browser_action', action: 'click', origins: ['*'] }] },
  ];
  for (const more of BROKEN)
    it(`with ${JSON.stringify(more)}: no rule, the gate asks`, async () => {
      expect(await (await written(more, 'reversible')).pending()).toEqual(['ask']);
    });
});
