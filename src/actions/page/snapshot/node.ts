/** One line of a snapshot before it is written. Pure data, so that printing is tested under Node. */
export interface SnapNode {
  role: string;
  name: string;
  states: string[];
  value?: string;
  ref?: string;
  /** Text of its own; a node of role `text` has nothing else. */
  children: SnapNode[];
  /** Only counted, since it will be folded: a mark of what is in it. */
  folded?: string;
}

/** How many children of one role in a row are written before the rest is folded. */
export const FOLD_AT = 30;

export interface PrintOptions {
  /** Only what this says yes to, with what it sits in and what is in it. */
  find?: (node: SnapNode) => boolean;
  /** Go on at the child of the node with that ref (`top` for none). */
  from?: { holder: string; index: number };
  /** What goes before each ref and cursor: the frame that they are of. */
  prefix?: string;
  foldAt?: number;
  /** How deep it is in what it is put into. */
  depth?: number;
}

/** A cursor that stands at a fold, apart. */
export function readFold(cursor: string | undefined): { holder: string; index: number } | undefined {
  const parts = /^(e\d+|top)\+(\d+)$/.exec(cursor ?? '');
  return parts ? { holder: parts[1] as string, index: Number(parts[2]) } : undefined;
}

/** The tree as indented lines. Long runs of siblings of one role are folded into one line that names the cursor to go on from. */
export function printTree(nodes: SnapNode[], options: PrintOptions = {}): string[] {
  const { find, from, prefix = '', foldAt = FOLD_AT, depth = 0 } = options;
  const lines: string[] = [];
  const printer = { lines, prefix, foldAt: find ? Number.POSITIVE_INFINITY : FOLD_AT };
  if (find)
    writeRun(
      printer,
      nodes.flatMap((node) => filter(node, find)),
      0,
      depth,
      'top',
      printer.foldAt,
    );
  else if (from) {
    const holder = from.holder === 'top' ? nodes : (seek(nodes, from.holder)?.children ?? []);
    writeRun(printer, holder, from.index, depth, from.holder, foldAt);
  } else writeRun(printer, nodes, 0, depth, 'top', foldAt);
  return lines;
}

/**
 * As many whole lines as fit, and the cursor for the rest or null. What is left out is said in a last line.
 * @param cursorAt the cursor that goes on at a line
 */
export function cutLines(
  lines: string[],
  start: number,
  maxChars: number,
  cursorAt: (line: number) => string,
): { shown: string[]; cursor: string | null } {
  const shown: string[] = [];
  let size = 0;
  let next = start;
  const total = lines.slice(start).reduce((sum, one) => sum + one.length + 1, 0);
  const room = total <= maxChars ? maxChars : maxChars - trailer(lines.length, cursorAt(lines.length)).length - 1;
  for (; next < lines.length; next++) {
    const left = room - size;
    let line = lines[next] as string;
    // A first line that is too long alone is shortened, so that the cursor always moves on.
    if (line.length + 1 > left && shown.length === 0) line = `${line.slice(0, Math.max(left - 2, 1))}…`;
    else if (line.length + 1 > left) break;
    shown.push(line);
    size += line.length + 1;
  }
  if (next >= lines.length) return { shown, cursor: null };
  const cursor = cursorAt(next);
  return { shown: [...shown, trailer(lines.length - next, cursor)], cursor };
}

function trailer(lines: number, cursor: string): string {
  return `- … ${lines} more ${lines === 1 ? 'line' : 'lines'} [cursor=${cursor}]`;
}

interface Printer {
  lines: string[];
  prefix: string;
  foldAt: number;
}

function writeRun(
  printer: Printer,
  nodes: SnapNode[],
  start: number,
  depth: number,
  holder: string,
  foldAt: number,
): void {
  let run = 0;
  let role = '';
  for (let i = start; i < nodes.length; i++) {
    const node = nodes[i] as SnapNode;
    run = node.role === role ? run + 1 : 1;
    role = node.role;
    if (node.folded !== undefined || (run > foldAt && role !== 'text')) {
      const rest = nodes.slice(i).findIndex((other) => other.role !== role);
      const count = rest === -1 ? nodes.length - i : rest;
      const at = printer.prefix ? `${printer.prefix}:${holder}` : holder;
      printer.lines.push(`${'  '.repeat(depth)}- … ${count} more ${role} [cursor=${at}+${i}]`);
      i += count - 1;
      continue;
    }
    printer.lines.push('  '.repeat(depth) + line(node, printer.prefix));
    const inner = node.ref ? printer.foldAt : Number.POSITIVE_INFINITY;
    writeRun(printer, node.children, 0, depth + 1, node.ref ?? holder, inner);
  }
}

/** A node in one line, without its children. */
export function line(node: SnapNode, prefix = ''): string {
  if (node.role === 'text') return `- text: ${node.name}`;
  const parts = [node.role];
  if (node.name) parts.push(JSON.stringify(node.name));
  for (const state of node.states) parts.push(`[${state}]`);
  if (node.ref) parts.push(`[ref=${prefix}${node.ref}]`);
  return `- ${parts.join(' ')}${node.value === undefined || node.value === '' ? '' : `: ${JSON.stringify(node.value)}`}`;
}

function filter(node: SnapNode, fits: (node: SnapNode) => boolean): SnapNode[] {
  const own = fits(node);
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
