import { isObject } from '../model/json.ts';
import type { StepRunRow, StepStatus } from '../model/run.ts';
import type { OutlineStep } from './outline.ts';

/** One line of a run's tree: a step, or an item (loop item, agent turn, review round, branch) that only groups steps. */
export interface TreeNode {
  /** Step path, `<path>[n]` for an item, `<path>#name` for a branch. Unique. */
  id: string;
  kind: 'step' | 'item';
  /** The step's row; absent for items, for a step that has not begun, and for a parent that was not recorded. */
  row?: StepRunRow;
  /** Step name, or the branch's; for other items the words are made from `itemOf`, `index` and `total`. */
  name: string;
  status: StepStatus;
  itemOf?: 'loop' | 'agent' | 'review' | 'branch' | 'other';
  /** Index of an item, from 0. */
  index?: number;
  /** How many items there are in all, as far as known: on items, and on the step that holds them. */
  total?: number;
  /** On a step with items: index of the furthest item that has begun. */
  reached?: number;
  order: number;
  children: TreeNode[];
}

const SEGMENT = /^(.*)\[(\d+)\]$/;
/** What a group shows when its members differ: the most pressing state wins. */
const URGENCY: readonly StepStatus[] = ['failed', 'waiting', 'running', 'pending', 'cancelled', 'completed', 'skipped'];

/**
 * Steps of a run as a tree. With an outline: in the order of the file, what has not begun as pending, and steps of a branch below the
 * step that holds it. Steps that the outline does not name, or all without one, go by their paths (`each[3]/send` is below item 3 of
 * `each`), as they first appeared.
 */
export function runTree(rows: readonly StepRunRow[], outline: readonly OutlineStep[] = []): TreeNode[] {
  const nodes = new Map<string, TreeNode>();
  const roots: TreeNode[] = [];

  const attach = (node: TreeNode, parent: TreeNode | undefined): TreeNode => {
    nodes.set(node.id, node);
    (parent ? parent.children : roots).push(node);
    return node;
  };

  const ensure = (id: string, order: number): TreeNode | undefined => {
    if (id === '') return undefined;
    const known = nodes.get(id);
    if (known) return known;
    const item = SEGMENT.exec(lastSegment(id));
    if (item) {
      const ownerPath = id.slice(0, id.lastIndexOf('['));
      const owner = ensure(ownerPath, order);
      return attach(
        {
          id,
          kind: 'item',
          name: id,
          status: 'pending',
          itemOf: itemKind(owner),
          index: Number(item[2]),
          order,
          children: [],
        },
        owner,
      );
    }
    return attach(
      { id, kind: 'step', name: lastSegment(id), status: 'pending', order, children: [] },
      ensure(parentOf(id), order),
    );
  };

  const begun = new Set(rows.map((row) => row.path));
  const items = itemsBegun(begun);
  const seed = (steps: readonly OutlineStep[], prefix: string, parent: TreeNode | undefined, spare: boolean): void => {
    for (const step of steps) {
      const id = prefix + step.id;
      if (spare && !begun.has(id)) continue;
      const node = attach(
        { id, kind: 'step', name: step.name, status: 'pending', order: nodes.size, children: [] },
        parent,
      );
      const branches = step.lists.filter((list) => list.kind === 'once' && !list.spare);
      for (const list of step.lists) {
        if (list.kind === 'once') {
          const group = branches.length > 1 && !list.spare;
          seed(list.steps, prefix, group ? attach(branchOf(node, list.name, nodes.size), node) : node, list.spare);
        } else {
          for (const index of items.get(id) ?? []) {
            const item = `${id}[${index}]`;
            const known = nodes.get(item) ?? attach(itemOf(item, index, step.type, nodes.size), node);
            seed(list.steps, `${item}/`, known, list.spare);
          }
        }
      }
    }
  };
  seed(outline, '', undefined, false);

  const sessions = new Set(rows.filter(({ type }) => type === 'client_session').map(({ path }) => path));
  for (const row of [...rows].sort((a, b) => a.order - b.order)) {
    const known = nodes.get(row.path);
    const session = ownerOfItem(parentOf(row.path));
    const called = session !== undefined && sessions.has(session);
    // Between the calls of a client there is only the wait for the next one.
    if (called && row.type === 'wait' && row.status === 'completed') continue;
    const node = known ?? attach(emptyNode(row), ensure(called ? session : parentOf(row.path), row.order));
    node.row = row;
    node.name = row.name || row.stepId;
    node.status = row.status;
    for (const child of node.children)
      if (child.kind === 'item' && child.itemOf !== 'branch') child.itemOf = itemKind(node);
  }
  for (const root of roots) settle(root);
  return roots;
}

/** Items that have begun, by the path of the step that holds them. */
function itemsBegun(paths: ReadonlySet<string>): Map<string, Set<number>> {
  const items = new Map<string, Set<number>>();
  for (const path of paths) {
    for (const found of path.matchAll(/\[(\d+)\](?=\/|$)/g)) {
      const owner = path.slice(0, found.index);
      const known = items.get(owner) ?? new Set();
      items.set(owner, known.add(Number(found[1])));
    }
  }
  return items;
}

function itemOf(id: string, index: number, type: string, order: number): TreeNode {
  return { id, kind: 'item', name: id, status: 'pending', itemOf: kindOf(type), index, order, children: [] };
}

function branchOf(owner: TreeNode, name: string, order: number): TreeNode {
  return { id: `${owner.id}#${name}`, kind: 'item', name, status: 'pending', itemOf: 'branch', order, children: [] };
}

function emptyNode(row: StepRunRow): TreeNode {
  return { id: row.path, kind: 'step', name: row.name, status: row.status, order: row.order, children: [] };
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The node above a path: for `a[1]/b` the item `a[1]`, for `a/b` the step `a`, for `a` none. */
function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

/** For the item `a[1]` the step `a`. */
function ownerOfItem(path: string): string | undefined {
  return SEGMENT.exec(path)?.[1];
}

function itemKind(owner: TreeNode | undefined): NonNullable<TreeNode['itemOf']> {
  return kindOf(owner?.row?.type);
}

function kindOf(type: string | undefined): NonNullable<TreeNode['itemOf']> {
  return type === 'loop' || type === 'agent' || type === 'review' ? type : 'other';
}

/** Fills what depends on children: states of items, totals, order of items. */
function settle(node: TreeNode): void {
  for (const child of node.children) settle(child);
  const items = node.children.filter((child) => child.kind === 'item' && child.itemOf !== 'branch');
  if (items.length > 0) {
    node.children.sort((a, b) =>
      a.kind === 'item' && b.kind === 'item' ? (a.index ?? 0) - (b.index ?? 0) : a.order - b.order,
    );
    const highest = Math.max(...items.map((item) => item.index ?? 0));
    node.total = Math.max(loopTotal(node.row) ?? 0, highest + 1);
    node.reached = highest;
    for (const item of items) item.total = node.total;
  }
  if (!node.row) node.status = mostUrgent(node.children.map((child) => child.status)) ?? 'pending';
}

function loopTotal(row: StepRunRow | undefined): number | undefined {
  if (row?.type !== 'loop') return undefined;
  const over = isObject(row.input) ? row.input.over : undefined;
  return Array.isArray(over) ? over.length : undefined;
}

/** The state that a group of step runs shows. A group with members that have ended and others that have not begun is running. */
export function mostUrgent(states: readonly StepStatus[]): StepStatus | undefined {
  const urgent = URGENCY.find((state) => states.includes(state));
  return urgent === 'pending' && states.some((state) => state !== 'pending') ? 'running' : urgent;
}

/** Ids of the nodes that are open at first: those on the way to what works, waits or failed. */
export function openAtFirst(roots: readonly TreeNode[]): Set<string> {
  const open = new Set<string>();
  const visit = (node: TreeNode): boolean => {
    const below = node.children.map(visit).some(Boolean);
    if (below) open.add(node.id);
    return below || node.status === 'running' || node.status === 'waiting' || node.status === 'failed';
  };
  for (const root of roots) visit(root);
  return open;
}

/** A visible line of the tree. `more` stands for children that are not listed yet. */
export type TreeLine =
  | { kind: 'node'; node: TreeNode; level: number; position: number; size: number; expanded?: boolean; parent?: string }
  | { kind: 'more'; of: string; level: number; position: number; size: number; hidden: number };

/**
 * The lines that are visible with `open` nodes opened. Of each node at most `limit(id)` children are listed (the newest ones are
 * reached by opening more), so a loop over a thousand items stays light.
 */
export function visibleLines(
  roots: readonly TreeNode[],
  open: ReadonlySet<string>,
  limit: (id: string) => number,
): TreeLine[] {
  const lines: TreeLine[] = [];
  const list = (nodes: readonly TreeNode[], level: number, parent: string | undefined): void => {
    const max = limit(parent ?? '');
    const shown = nodes.slice(0, max);
    const size = shown.length + (nodes.length > max ? 1 : 0);
    shown.forEach((node, i) => {
      const expandable = node.children.length > 0;
      const expanded = expandable ? open.has(node.id) : undefined;
      lines.push({ kind: 'node', node, level, position: i + 1, size, expanded, parent });
      if (expanded) list(node.children, level + 1, node.id);
    });
    if (nodes.length > max)
      lines.push({ kind: 'more', of: parent ?? '', level, position: size, size, hidden: nodes.length - max });
  };
  list(roots, 1, undefined);
  return lines;
}
