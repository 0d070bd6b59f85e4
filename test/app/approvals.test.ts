import { describe, expect, it } from 'vitest';
import { settle } from './fake.ts';
import { setUp, type World } from './world.ts';

const TWO = `format: tabloom/v1
id: two
name: Two drafts
steps:
  - id: each
    type: loop
    over: [a, b, c]
    concurrency: 3
    steps:
      - { id: ask, type: approval, title: "Send {{loop_item}}?", risk: message }
`;
/** An act of which the site is known without a tab. */
const SAVE = `format: tabloom/v1
id: save
name: Save
sites: ["https://example.com/*"]
steps:
  - { id: ask, type: approval, title: "Open the list?", covers: [open] }
  - { id: open, type: browser_action, action: navigate, arguments: { url: "https://example.com/list" } }
`;

async function started(world: World, source: string, workflowId: string): Promise<string> {
  await world.ask('workflow.import', { source, enable: true });
  const answer = await world.ask('run.start', { workflowId, input: {} });
  if (!('runId' in answer)) throw new Error(answer.refused.message);
  await settle();
  return answer.runId;
}

const pending = async (world: World) => (await world.ask('state.get', {})).approvals;

describe('approvals.decide', () => {
  it('three of one step in one message: each decided by its own hash, with one comment; the badge has none left', async () => {
    const world = setUp();
    const runId = await started(world, TWO, 'two');
    const rows = await pending(world);
    expect(world.fake.badge.text).toBe('3');
    const items = rows.map(({ path, hash }, n) => ({ commandId: `c${n}`, runId, path, hash }));
    const { results } = await world.ask('approvals.decide', {
      decision: 'approved',
      items,
      comment: 'all read',
      surface: 'sidepanel',
    });
    expect(results).toMatchObject(rows.map(({ hash }) => ({ ok: true, data: { hash } })));
    await settle();
    expect(world.fake.badge.text).toBe('');
    const detail = await world.ask('run.get', { runId });
    expect(detail?.run.status).toBe('completed');
    expect(detail?.approvals.map(({ decision }) => [decision?.by, decision?.comment, decision?.surface])).toEqual(
      rows.map(() => ['person', 'all read', 'sidepanel']),
    );
  });

  it('one of them named by another one’s hash: that one is refused, and still waits; the others are decided', async () => {
    const world = setUp();
    const runId = await started(world, TWO, 'two');
    const rows = await pending(world);
    const items = rows.map(({ path }, n) => ({
      commandId: `c${n}`,
      runId,
      path,
      hash: rows[n === 1 ? 0 : n]?.hash ?? '',
    }));
    const { results } = await world.ask('approvals.decide', { decision: 'approved', items, surface: 'app' });
    expect(results.map((result) => (result.ok ? 'ok' : result.code))).toEqual(['ok', 'approval_mismatch', 'ok']);
    await settle();
    expect((await pending(world)).map(({ path }) => path)).toEqual([rows[1]?.path]);
  });

  it('the same message again: the same answers', async () => {
    const world = setUp();
    const runId = await started(world, TWO, 'two');
    const items = (await pending(world)).map(({ path, hash }, n) => ({ commandId: `c${n}`, runId, path, hash }));
    const batch = { decision: 'approved', items, surface: 'app' } as const;
    const first = await world.ask('approvals.decide', batch);
    expect(await world.ask('approvals.decide', batch)).toEqual(first);
  });
});

describe('rules', () => {
  async function given(): Promise<World> {
    const world = setUp();
    world.fake.granted.push('https://example.com/*');
    const runId = await started(world, SAVE, 'save');
    const [row] = await pending(world);
    expect(row?.standing).toEqual({ origins: ['https://example.com'] });
    const command = {
      type: 'decide',
      runId,
      path: 'ask',
      hash: row?.hash ?? '',
      decision: 'approved',
      always: true,
    } as const;
    expect(await world.ask('command.send', { commandId: 'c1', surface: 'popup', command })).toMatchObject({ ok: true });
    await settle();
    return world;
  }

  it('given, then the worker starts anew: nobody is asked and no badge is shown; withdrawn: asked again', async () => {
    const world = (await given()).restart();
    await world.ask('run.start', { workflowId: 'save', input: {} });
    await settle();
    expect(await pending(world)).toEqual([]);
    const { rules } = await world.ask('rules.list', {});
    expect(rules).toMatchObject([{ workflowId: 'save', stepId: 'ask', uses: 1 }]);
    expect(await world.ask('rules.withdraw', { ruleId: rules[0]?.ruleId ?? '' })).toEqual({ rules: [] });
    await world.ask('run.start', { workflowId: 'save', input: {} });
    await settle();
    expect(await pending(world)).toMatchObject([{ path: 'ask' }]);
  });

  it('its workflow is removed: gone with it', async () => {
    const world = await given();
    await world.ask('workflow.remove', { workflowId: 'save' });
    expect(await world.ask('rules.list', {})).toEqual({ rules: [] });
  });

  it('another page of the extension cannot write a rule: there is no request for it', async () => {
    const { ask } = setUp();
    await expect(ask('rules.set' as never, {} as never)).rejects.toThrow('bad_request');
  });
});
