import { describe, expect, it } from 'vitest';
import type { StepRunRow } from '../../src/model/run.ts';
import type { OutlineStep } from '../../src/view/outline.ts';
import { mostUrgent, openAtFirst, runTree, type TreeNode, visibleLines } from '../../src/view/run-tree.ts';
import { stepRow } from '../support/rows.ts';

const row = (path: string, order: number, over: Partial<StepRunRow> = {}) =>
  stepRow(path, { runId: 'r', order, ...over });

/** Ids as nested lists. */
const shape = (nodes: readonly TreeNode[]): unknown[] =>
  nodes.map((node) => (node.children.length > 0 ? [node.id, shape(node.children)] : node.id));

const outline = (id: string, lists: OutlineStep['lists'] = [], type = 'recipe'): OutlineStep => ({
  id,
  type,
  name: `The ${id}`,
  lists,
});
const list = (name: string, steps: OutlineStep[], over: Partial<OutlineStep['lists'][number]> = {}) => ({
  name,
  kind: 'once' as const,
  spare: false,
  steps,
  ...over,
});

describe('runTree with an outline', () => {
  it('a condition with one branch: its steps are below it, those that have not begun are pending, in the order of the file', () => {
    const tree = runTree(
      [row('read', 1), row('send', 2, { status: 'waiting' }), row('any', 3, { status: 'waiting' })],
      [outline('read'), outline('any', [list('then', [outline('check'), outline('send')])]), outline('report')],
    );
    expect(shape(tree)).toEqual(['read', ['any', ['check', 'send']], 'report']);
    expect(tree.map(({ name, status }) => [name, status])).toEqual([
      ['read', 'completed'],
      ['any', 'waiting'],
      ['The report', 'pending'],
    ]);
  });

  it('two branches: each is a line of its own that shows its most pressing state', () => {
    const tree = runTree(
      [row('both', 1, { status: 'running' }), row('a', 2), row('b', 3, { status: 'failed' })],
      [outline('both', [list('one', [outline('a')]), list('two', [outline('b')])])],
    );
    expect(shape(tree)).toEqual([
      [
        'both',
        [
          ['both#one', ['a']],
          ['both#two', ['b']],
        ],
      ],
    ]);
    expect(tree[0]?.children.map(({ itemOf, name, status }) => [itemOf, name, status])).toEqual([
      ['branch', 'one', 'completed'],
      ['branch', 'two', 'failed'],
    ]);
  });

  it('a loop: only items that have begun are there, with the branches inside them; what they have not reached is pending', () => {
    const tree = runTree(
      [
        row('each', 1, { type: 'loop', status: 'running', input: { over: [1, 2, 3] } }),
        row('each[1]/open', 3),
        row('each[0]/open', 2),
      ],
      [
        outline(
          'each',
          [
            list('steps', [outline('open'), outline('ask', [list('then', [outline('tell')])], 'condition')], {
              kind: 'items',
            }),
          ],
          'loop',
        ),
      ],
    );
    expect(shape(tree)).toEqual([
      [
        'each',
        [
          ['each[0]', ['each[0]/open', ['each[0]/ask', ['each[0]/tell']]]],
          ['each[1]', ['each[1]/open', ['each[1]/ask', ['each[1]/tell']]]],
        ],
      ],
    ]);
    expect([tree[0]?.total, tree[0]?.reached]).toEqual([3, 1]);
  });

  it('a fallback: its steps are there only when it ran; what the outline does not name goes by its path', () => {
    const steps = [outline('get', [list('@fallback', [outline('other')], { spare: true })])];
    expect(shape(runTree([row('get', 1)], steps))).toEqual(['get']);
    expect(shape(runTree([row('get', 1), row('other', 2)], steps))).toEqual([['get', ['other']]]);
    expect(shape(runTree([row('get', 1), row('get[0]/model', 2)], steps))).toEqual([
      ['get', [['get[0]', ['get[0]/model']]]],
    ]);
  });
});

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

  it('what an MCP client does: its calls one below the other, without the waits between them', () => {
    const tree = runTree([
      row('session', 1, { type: 'client_session', status: 'running' }),
      row('session[0]/next', 2, { type: 'wait' }),
      row('session[1]/browser_click', 3, { type: 'browser_action' }),
      row('session[2]/next', 4, { type: 'wait', status: 'waiting' }),
    ]);
    expect(shape(tree)).toEqual([['session', ['session[1]/browser_click', 'session[2]/next']]]);
    expect(tree[0]?.total).toBeUndefined();
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
    expect(mostUrgent(['completed', 'pending'])).toBe('running');
    expect(mostUrgent(['pending', 'pending'])).toBe('pending');
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
