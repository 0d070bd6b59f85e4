import { type Document, isMap, isScalar, isSeq, type LineCounter, type ParsedNode } from 'yaml';

/** A place in a file, both from 1. */
export interface Position {
  line: number;
  column: number;
}

/** Where a JSON pointer stands in a parsed file: the key of a member, the start of an item; the nearest parent where it is not there. */
export function locateIn(document: Document.Parsed | undefined, lines: LineCounter, pointer: string): Position {
  let node: ParsedNode | null | undefined = document?.contents;
  let offset = node ? node.range[0] : 0;
  for (const raw of pointer.split('/').slice(1)) {
    const name = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    if (isSeq(node)) {
      node = /^\d+$/.test(name) ? (node.items[Number(name)] as ParsedNode | undefined) : undefined;
      if (!node) break;
      offset = node.range[0];
    } else if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && key.value === name);
      if (!pair) break;
      offset = (pair.key as ParsedNode).range[0];
      node = pair.value as ParsedNode | null;
    } else break;
  }
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}
