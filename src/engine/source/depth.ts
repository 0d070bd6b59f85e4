import { CST, Lexer } from 'yaml';

/** What the lexer puts before the text of a scalar. */
const SCALAR_MARK = '\u001f';

/**
 * Offset at which brackets, or the marks of one line (`- - -`, `a: b: c:`), nest deeper than `limit`; `undefined` when they do not. Looked at
 * before parsing, since the parser's time grows with the square of the depth (minutes for 100,000 brackets) and its stack ends.
 */
export function tooDeep(text: string, limit: number): number | undefined {
  let offset = 0;
  let brackets = 0;
  let marks = 0;
  let scalar = false;
  for (const token of new Lexer().lex(text)) {
    if (token === SCALAR_MARK) {
      scalar = true;
      continue;
    }
    const type = scalar ? 'scalar' : CST.tokenType(token);
    scalar = false;
    if (type === 'flow-seq-start' || type === 'flow-map-start') brackets += 1;
    else if (type === 'flow-seq-end' || type === 'flow-map-end') brackets = Math.max(0, brackets - 1);
    else if (type === 'newline') marks = 0;
    else if (brackets === 0 && (type === 'seq-item-ind' || type === 'explicit-key-ind' || type === 'map-value-ind'))
      marks += 1;
    if (brackets > limit || marks > limit) return Math.min(offset, text.length - 1);
    // Markers of the lexer (document, end of flow) are no text.
    if (type !== 'doc-mode' && type !== 'flow-error-end') offset += token.length;
  }
  return undefined;
}
