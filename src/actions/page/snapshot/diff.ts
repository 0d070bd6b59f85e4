import { line, type SnapNode } from './node.ts';

/** What can be asked of the page about nodes that are only counted. */
export interface Live {
  /** The whole node. */
  unfold(node: SnapNode): SnapNode;
  /** The mark that a node would have, were it folded. */
  markOf(node: SnapNode): string;
}

/**
 * What is other in a tree than in one before: each changed part with the lines that it sits in. Changed lines are marked `[new]`,
 * `[changed]` or `[gone]`. Pure, so that it is tested under Node.
 */
export function changesOf(before: SnapNode[], now: SnapNode[], live: Live): SnapNode[] {
  const known = new Map<string, SnapNode>();
  collect(before, known);
  return compare(before, now, known, live);
}

function collect(nodes: SnapNode[], into: Map<string, SnapNode>): void {
  for (const node of nodes) {
    if (node.ref !== undefined) into.set(node.ref, node);
    collect(node.children, into);
  }
}

function compare(before: SnapNode[], now: SnapNode[], known: Map<string, SnapNode>, live: Live): SnapNode[] {
  const partners = pair(before, now, known);
  const out: SnapNode[] = [];
  for (const node of now) {
    const old = partners.get(node);
    if (!old) out.push(mark(live.unfold(node), 'new'));
    else out.push(...changed(old, node, known, live));
  }
  const kept = new Set(partners.values());
  for (const old of before) if (!kept.has(old)) out.push({ ...mark(old, 'gone'), children: [] });
  return out;
}

function changed(old: SnapNode, node: SnapNode, known: Map<string, SnapNode>, live: Live): SnapNode[] {
  if (old.folded !== undefined) {
    return old.folded === (node.folded ?? live.markOf(node)) ? [] : [mark(live.unfold(node), 'changed')];
  }
  const whole = live.unfold(node);
  const own = line(old) !== line(whole);
  const inner = compare(old.children, whole.children, known, live);
  if (!own && inner.length === 0) return [];
  return [own ? { ...mark(whole, 'changed'), children: inner } : { ...whole, children: inner }];
}

function mark(node: SnapNode, how: string): SnapNode {
  if (node.role === 'text') return { ...node, name: `${node.name} [${how}]` };
  return { ...node, states: [...node.states, how] };
}

/** Which node of before each node now is: the same element by its ref, else the same content, else the next of the same role. */
function pair(before: SnapNode[], now: SnapNode[], known: Map<string, SnapNode>): Map<SnapNode, SnapNode> {
  const partners = new Map<SnapNode, SnapNode>();
  const taken = new Set<SnapNode>();
  const take = (node: SnapNode, old: SnapNode | undefined): void => {
    if (!old || taken.has(old)) return;
    taken.add(old);
    partners.set(node, old);
  };
  for (const node of now) if (node.ref !== undefined) take(node, known.get(node.ref));
  const rest = before.filter((old) => old.ref === undefined && !taken.has(old));
  const byContent = new Map<string, SnapNode[]>();
  for (const old of rest) {
    const key = content(old);
    byContent.set(key, [...(byContent.get(key) ?? []), old]);
  }
  for (const node of now) if (node.ref === undefined) take(node, byContent.get(content(node))?.shift());
  for (const node of now) {
    if (node.ref !== undefined || partners.has(node)) continue;
    take(
      node,
      rest.find((old) => !taken.has(old) && old.role === node.role),
    );
  }
  return partners;
}

function content(node: SnapNode): string {
  return `${line(node)}\u0000${node.folded ?? ''}(${node.children.map(content).join('')})`;
}
