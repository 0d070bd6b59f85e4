import { isMap, isScalar, isSeq, type ParsedNode, parseDocument } from 'yaml';

/**
 * Moves one item of a list in a workflow file to the front, and changes nothing else: comments, quotes and layout stay.
 * @param pointer JSON pointer to the list
 * @param index of the item, from 0
 * @returns the new text; `undefined` where there is no such list or item
 */
export function moveToFront(source: string, pointer: string, index: number): string | undefined {
  let node: ParsedNode | null | undefined = parseDocument(source).contents;
  for (const raw of pointer.split('/').slice(1)) {
    const name = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    if (isSeq(node)) node = node.items[Number(name)] as ParsedNode | undefined;
    else if (isMap(node))
      node = node.items.find(({ key }) => isScalar(key) && key.value === name)?.value as ParsedNode | null | undefined;
    else return undefined;
  }
  if (!isSeq(node)) return undefined;
  const slots = (node.items as ParsedNode[]).slice(0, index + 1).map(({ range: [from, to] }) => ({ from, to }));
  if (slots.length <= index) return undefined;
  const texts = slots.map(({ from, to }) => trimmed(source.slice(from, to)));
  const moved = [texts[index] as string, ...texts.slice(0, index)];
  let text = '';
  let at = 0;
  for (const [slot, { from }] of slots.entries()) {
    text += source.slice(at, from) + moved[slot];
    // What stood after the item in its own place (a line end, a comment) stays there.
    at = from + (texts[slot] as string).length;
  }
  return text + source.slice(at);
}

/** A block collection's range reaches over the line end after it. */
function trimmed(text: string): string {
  return text.replace(/\s+$/, '');
}
