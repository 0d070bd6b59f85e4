import { type Document, isMap, isNode, isScalar, isSeq, type LineCounter } from 'yaml';

/** A place in a file, both from 1. */
export interface Position {
  line: number;
  column: number;
}

/** Where a JSON pointer stands in a parsed file: the key of a member, the start of an item; the nearest parent where it is not there. */
export function locateIn(document: Document.Parsed | undefined, lines: LineCounter, pointer: string): Position {
  let node: unknown = document?.contents;
  let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
  for (const raw of pointer.split('/').slice(1)) {
    const name = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    if (isSeq(node)) {
      node = /^\d+$/.test(name) ? node.items[Number(name)] : undefined;
      if (!isNode(node)) break;
      offset = node.range?.[0] ?? offset;
    } else if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && key.value === name);
      if (!pair) break;
      if (isNode(pair.key)) offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else break;
  }
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}
