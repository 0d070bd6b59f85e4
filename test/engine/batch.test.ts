import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import type { ApprovalRow } from '../../src/model/run.ts';
import { click, gate, START, World, workflow } from '../support/engine.ts';

/** approval-9: a list of drafts approved in the evening for a night in which nobody is there. */

const HOUR = 3_600_000;
const at = (hour: number) => new Date(START + hour * HOUR).toISOString();
const EVENING = 20;
const NIGHT = 26;

/** Each draft asks when it is ready and goes out in the night after it was approved. */
const drafts = (concurrency: number) =>
  workflow([
    {
      id: 'each',
      type: 'loop',
      over: '{{workflow_input.drafts}}',
      concurrency,
      steps: [
        { id: 'ready', type: 'wait', until: '{{loop_item.ready}}' },
        gate('ask', { show: { text: '{{loop_item.text}}' }, covers: ['send'], risk: 'message' }),
        { id: 'night', type: 'wait', until: at(NIGHT) },
        click('send', { arguments: { target: { text: '{{loop_item.text}}' } } }),
      ],
    },
  ]);

const INPUT: JsonObject = {
  drafts: [18, 18, 18, 19, 19, NIGHT + 1].map((hour, n) => ({ ready: at(hour), text: `draft ${n}` })),
};

async function evening(): Promise<{ world: World; five: ApprovalRow[] }> {
  const world = new World();
  await world.start(drafts(5), INPUT);
  await world.until(START + EVENING * HOUR);
  const five = await world.memory.approvals({ runId: world.runId, status: 'pending' });
  return { world, five };
}

/** What the background does with a batch: a decision of its own for each, all handed in at once. */
async function approve(world: World, rows: ApprovalRow[]) {
  const { runId } = world;
  const answers = rows.map(({ path, hash }) => world.post({ type: 'decide', runId, path, hash, decision: 'approved' }));
  const results = await Promise.all(answers);
  await world.settle();
  return results;
}

const sent = (world: World) => world.calls.map(({ path }) => path).sort();
const sends = (...items: number[]) => items.map((n) => `each[${n}]/send`);

describe('approval-9: a batch approved ahead', () => {
  it('five approved in the evening go out in the night, each once under its own hash; the sixth, met later, waits for the person', async () => {
    const { world, five } = await evening();
    expect(five.map(({ path }) => path).sort()).toEqual([0, 1, 2, 3, 4].map((n) => `each[${n}]/ask`));
    expect(new Set(five.map(({ hash }) => hash)).size).toBe(5);
    expect((await approve(world, five)).map(({ ok }) => ok)).toEqual([true, true, true, true, true]);
    expect(await world.pending()).toEqual([]);
    expect(sent(world)).toEqual([]);

    await world.until(START + NIGHT * HOUR);
    expect(sent(world)).toEqual(sends(0, 1, 2, 3, 4));

    await world.until(START + (NIGHT + 2) * HOUR);
    expect(await world.pending()).toEqual(['each[5]/ask']);
    expect(await world.run()).toMatchObject({ status: 'waiting', waitingFor: ['approval'] });
    expect(sent(world)).toEqual(sends(0, 1, 2, 3, 4));

    await world.decide('each[5]/ask');
    expect(sent(world)).toEqual(sends(0, 1, 2, 3, 4, 5));
    expect((await world.run()).status).toBe('completed');
    const started = (await world.events()).filter(({ type }) => type === 'step.started');
    const hashOf = new Map(
      (await world.memory.approvals({ runId: world.runId })).map((row) => [row.path, row.approvalId]),
    );
    for (const { path = '', data } of started) expect(data.approvalId).toBe(hashOf.get(path.replace('/send', '/ask')));
  });

  it('the process dies in the evening and comes back in the night: still each once, and the sixth still waits', async () => {
    const { world, five } = await evening();
    await approve(world, five);
    await world.crash();
    await world.until(START + (NIGHT + 2) * HOUR);
    await world.crash();
    expect(sent(world)).toEqual(sends(0, 1, 2, 3, 4));
    expect(await world.pending()).toEqual(['each[5]/ask']);
  });

  it('one of the five is rejected before, and one named by an old hash: those are refused one by one, the others go out', async () => {
    const { world, five } = await evening();
    const [first, second, ...rest] = five as [ApprovalRow, ApprovalRow, ...ApprovalRow[]];
    const stale = { ...second, hash: first.hash };
    const results = await approve(world, [first, stale, ...rest]);
    expect(results.map((result) => (result.ok ? 'ok' : result.code))).toEqual([
      'ok',
      'approval_mismatch',
      'ok',
      'ok',
      'ok',
    ]);
    expect(await world.pending()).toEqual([second.path]);
    await world.until(START + NIGHT * HOUR);
    expect(sent(world)).toEqual([first, ...rest].map(({ path }) => path.replace('/ask', '/send')).sort());
  });

  it('the same batch delivered twice: the repeats are accepted as the same, and nothing goes out twice', async () => {
    const { world, five } = await evening();
    const answers = await Promise.all([approve(world, five), approve(world, five)]);
    expect(answers.flat().every(({ ok }) => ok)).toBe(true);
    await world.until(START + NIGHT * HOUR);
    expect(sent(world)).toEqual(sends(0, 1, 2, 3, 4));
  });
});
