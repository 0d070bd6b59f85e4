/** One line of a snapshot before it is written. Pure data, so that printing is tested under Node. */
export interface SnapNode {
  role: string;
  name: string;
  states: string[];
  value?: string;
  ref?: string;
  /** Text of its own; a node of role `text` has nothing else. */
  children: SnapNode[];
}

/** How many children of one role in a row are written before the rest is folded. */
export const FOLD_AT = 30;

export interface PrintOptions {
  maxChars: number;
  /** Where to go on: `L120` at a line, `e7+30` at the thirty-first child of e7. */
  cursor?: string;
  /** Only lines with this in them, with what they sit in. */
  find?: (text: string) => boolean;
}

/**
 * The tree as indented lines, always whole lines, and the cursor for the rest or null. Long runs of siblings of one role are folded
 * into one line that names the cursor to go on from.
 */
export function printTree(nodes: SnapNode[], options: PrintOptions): { text: string; cursor: string | null } {
  const fold = /^(e\d+|top)\+(\d+)$/.exec(options.cursor ?? '');
  const from = /^L(\d+)$/.exec(options.cursor ?? '');
  const lines: string[] = [];
  if (options.find) {
    const kept = nodes.flatMap((node) => filter(node, options.find as (text: string) => boolean));
    write(kept, 0, 'top', lines, Number.POSITIVE_INFINITY);
  } else if (fold) {
    const holder = fold[1] === 'top' ? nodes : (seek(nodes, fold[1] as string)?.children ?? []);
    writeRun(holder, Number(fold[2]), 0, fold[1] as string, lines, FOLD_AT);
  } else {
    write(nodes, 0, 'top', lines, FOLD_AT);
  }
  return cut(lines, from ? Number(from[1]) : 0, options.maxChars);
}

function cut(lines: string[], start: number, maxChars: number): { text: string; cursor: string | null } {
  const out: string[] = [];
  let size = 0;
  let next = start;
  for (; next < lines.length; next++) {
    const room = maxChars - size;
    let line = lines[next] as string;
    // A first line that is too long alone is shortened, so that the cursor always moves on.
    if (line.length + 1 > room && out.length === 0) line = `${line.slice(0, Math.max(room - 2, 1))}…`;
    else if (line.length + 1 > room) break;
    out.push(line);
    size += line.length + 1;
  }
  return { text: out.join('\n'), cursor: next < lines.length ? `L${next}` : null };
}

function write(nodes: SnapNode[], depth: number, holder: string, lines: string[], foldAt: number): void {
  writeRun(nodes, 0, depth, holder, lines, foldAt);
}

function writeRun(
  nodes: SnapNode[],
  start: number,
  depth: number,
  holder: string,
  lines: string[],
  foldAt: number,
): void {
  let run = 0;
  let role = '';
  for (let i = start; i < nodes.length; i++) {
    const node = nodes[i] as SnapNode;
    run = node.role === role ? run + 1 : 1;
    role = node.role;
    if (run > foldAt && role !== 'text') {
      const rest = nodes.slice(i).findIndex((other) => other.role !== role);
      const count = rest === -1 ? nodes.length - i : rest;
      lines.push(`${'  '.repeat(depth)}- … ${count} more ${role} [cursor=${holder}+${i}]`);
      i += count - 1;
      continue;
    }
    lines.push('  '.repeat(depth) + line(node));
    write(node.children, depth + 1, node.ref ?? holder, lines, node.ref ? foldAt : Number.POSITIVE_INFINITY);
  }
}

function line(node: SnapNode): string {
  if (node.role === 'text') return `- text: ${node.name}`;
  const parts = [node.role];
  if (node.name) parts.push(JSON.stringify(node.name));
  for (const state of node.states) parts.push(`[${state}]`);
  if (node.ref) parts.push(`[ref=${node.ref}]`);
  return `- ${parts.join(' ')}${node.value === undefined || node.value === '' ? '' : `: ${JSON.stringify(node.value)}`}`;
}

function filter(node: SnapNode, fits: (text: string) => boolean): SnapNode[] {
  const own = fits(`${node.role} ${node.name} ${node.value ?? ''}`);
  const children = node.children.flatMap((child) => filter(child, fits));
  if (!own && children.length === 0) return [];
  return [{ ...node, children: own && children.length === 0 ? node.children : children }];
}

function seek(nodes: SnapNode[], ref: string): SnapNode | undefined {
  for (const node of nodes) {
    if (node.ref === ref) return node;
    const inner = seek(node.children, ref);
    if (inner) return inner;
  }
  return undefined;
}
