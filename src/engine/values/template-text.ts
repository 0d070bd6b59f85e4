import { BoundedCache } from './cache.ts';
import { type Expression, readExpression } from './expression.ts';
import { SyntaxFailure } from './failures.ts';

/** A text cut into what stands as it is and what is filled in. */
export type TemplatePart = string | Expression;

const cache = new BoundedCache<TemplatePart[]>(2000);
const CACHED_LENGTH = 10_000;

/** Cuts a text at its `{{ … }}`. A text without any is one part. Cached. @throws SyntaxFailure */
export function readTemplate(text: string): TemplatePart[] {
  const known = cache.get(text);
  if (known) return known;
  const parts: TemplatePart[] = [];
  let at = 0;
  for (let open = text.indexOf('{{'); open !== -1; open = text.indexOf('{{', at)) {
    if (open > at) parts.push(text.slice(at, open));
    const close = findClose(text, open + 2);
    if (close === undefined)
      throw new SyntaxFailure('a "{{" has no "}}" after it; write {{"{{"}} for the characters themselves', open);
    parts.push(readExpression(text.slice(open + 2, close)));
    at = close + 2;
  }
  if (at < text.length) parts.push(text.slice(at));
  return text.length <= CACHED_LENGTH ? cache.set(text, parts) : parts;
}

/** Offset of the `}}` that closes an expression: not one inside quotes, nor one that closes maps of the expression itself. */
function findClose(text: string, start: number): number | undefined {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const char = text[at] as string;
    if (char === '"' || char === "'") {
      at = afterQuoted(text, at, char);
      continue;
    }
    if (char === '{') depth += 1;
    else if (char === '}') {
      if (depth > 0) depth -= 1;
      else if (text[at + 1] === '}') return at;
    }
    at += 1;
  }
  return undefined;
}

function afterQuoted(text: string, start: number, quote: string): number {
  // What stands before it is looked at from "{{" on, so there are two characters.
  const raw = /\W[rR]$/.test(text.slice(start - 2, start));
  const triple = text.startsWith(quote.repeat(3), start);
  const end = triple ? quote.repeat(3) : quote;
  let at = start + end.length;
  while (at < text.length) {
    if (text[at] === '\\' && !raw) at += 2;
    else if (text.startsWith(end, at)) return at + end.length;
    else at += 1;
  }
  return at;
}
