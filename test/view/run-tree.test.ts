import { describe, expect, it } from 'vitest';
import type { StepRunRow } from '../../src/model/run.ts';
import { mostUrgent, openAtFirst, runTree, type TreeNode, visibleLines } from '../../src/view/run-tree.ts';

function row(path: string, order: number, over: Partial<StepRunRow> = {}): StepRunRow {
  const stepId = path.slice(path.lastIndexOf('/') + 1);
  return {
    runId: 'r',
    path,
    stepId,
    type: 'recipe',
    name: stepId,
    status: 'completed',
    effect: 'read',
    attempt: 1,
    attempts: [],
    order,
    ...over,
  };
}

/** Ids as nested lists. */
const shape = (nodes: readonly TreeNode[]): unknown[] =>
  nodes.map((node) => (node.children.length > 0 ? [node.id, shape(node.children)] : node.id));

describe('runTree', () => {
  it('a loop with items: steps hang below their item, items in order of their index', () => {
    const tree = runTree([
      row('read', 1),
      row('each', 2, { type: 'loop', status: 'running', input: { over: [1, 2, 3, 4] } }),
      row('each[1]/a', 3),
      row('each[0]/a', 4),
      row('each[0]/b', 5, { status: 'failed' }),
    ]);
    expect(shape(tree)).toEqual([
      'read',
      [
        'each',
        [
          ['each[0]', ['each[0]/a', 'each[0]/b']],
          ['each[1]', ['each[1]/a']],
        ],
      ],
    ]);
    const each = tree[1] as TreeNode;
    expect([each.total, each.reached]).toEqual([4, 1]);
    expect(each.children.map((item) => [item.itemOf, item.index, item.total, item.status])).toEqual([
      ['loop', 0, 4, 'failed'],
      ['loop', 1, 4, 'completed'],
    ]);
  });

  it('a loop inside a loop, and a subworkflow: nest by their paths', () => {
    const tree = runTree([
      row('a', 1, { type: 'loop' }),
      row('a[2]/b', 2, { type: 'loop' }),
      row('a[2]/b[0]/c', 3),
      row('child', 4, { type: 'subworkflow' }),
      row('child/sum', 5),
    ]);
    expect(shape(tree)).toEqual([
      ['a', [['a[2]', [['a[2]/b', [['a[2]/b[0]', ['a[2]/b[0]/c']]]]]]]],
      ['child', ['child/sum']],
    ]);
  });

  it('an item recorded before its loop: is still known as the loop’s', () => {
    const tree = runTree([row('each[0]/a', 1), row('each', 2, { type: 'loop' })]);
    expect(tree[0]?.children[0]?.itemOf).toBe('loop');
  });

  it('turns of an agent and rounds of a review: are told apart from loop items', () => {
    const tree = runTree([
      row('act', 1, { type: 'agent' }),
      row('act[0]/model', 2),
      row('rev', 3, { type: 'review' }),
      row('rev[1]/fix', 4),
      row('mail', 5),
      row('mail[1]/look', 6),
    ]);
    expect(tree.map((node) => node.children[0]?.itemOf)).toEqual(['agent', 'review', 'other']);
  });

  it('a group without a row of its own: shows its most pressing member', () => {
    expect(mostUrgent(['completed', 'running', 'waiting'])).toBe('waiting');
    expect(mostUrgent(['completed', 'skipped'])).toBe('completed');
    expect(mostUrgent([])).toBeUndefined();
  });

  it('a step called like a built-in property: is an ordinary step', () => {
    expect(shape(runTree([row('constructor', 1), row('toString', 2)]))).toEqual(['constructor', 'toString']);
  });
});

describe('visibleLines', () => {
  const tree = runTree([
    row('each', 1, { type: 'loop', status: 'running' }),
    ...Array.from({ length: 5 }, (_, i) => row(`each[${i}]/a`, i + 2, { status: i === 3 ? 'failed' : 'completed' })),
  ]);

  it('at first: only the way to what failed or works is open', () => {
    expect([...openAtFirst(tree)].sort()).toEqual(['each', 'each[3]']);
  });

  it('more children than the limit: the rest is one line that says how many', () => {
    const lines = visibleLines(tree, new Set(['each']), (id) => (id === 'each' ? 2 : 100));
    expect(
      lines.map((line) =>
        line.kind === 'node'
          ? [line.node.id, line.level, line.position, line.size]
          : [line.of, line.hidden, line.position, line.size],
      ),
    ).toEqual([
      ['each', 1, 1, 1],
      ['each[0]', 2, 1, 3],
      ['each[1]', 2, 2, 3],
      ['each', 3, 3, 3],
    ]);
  });

  it('a closed node: its children are not listed', () => {
    expect(visibleLines(tree, new Set(), () => 100)).toHaveLength(1);
  });
});
