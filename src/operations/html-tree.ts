import { Parser } from 'htmlparser2';
import { OperationFailure } from './define.ts';

/** An element of parsed HTML, or a text. */
export type HtmlNode = HtmlElement | string;

export interface HtmlElement {
  name: string;
  attributes: ReadonlyMap<string, string>;
  children: HtmlNode[];
}

/** Deeper elements become children of the one at this depth, so that no text can exhaust the stack. */
const MAX_DEPTH = 200;
/** The parser's time grows with the square of the depth; no real page comes near this. */
const MAX_OPEN = 5000;

/** Parses HTML without a DOM (a service worker has none). @throws OperationFailure for more than 5,000 elements inside each other */
export function parseHtml(html: string): HtmlElement {
  const root: HtmlElement = { name: '#root', attributes: new Map(), children: [] };
  const open: HtmlElement[] = [root];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (open.length > MAX_OPEN)
          throw new OperationFailure(`more than ${MAX_OPEN} elements are nested in each other`);
        const element: HtmlElement = { name, attributes: new Map(Object.entries(attributes)), children: [] };
        (open[Math.min(open.length, MAX_DEPTH) - 1] as HtmlElement).children.push(element);
        open.push(element);
      },
      ontext(text) {
        const { children } = open[Math.min(open.length, MAX_DEPTH) - 1] as HtmlElement;
        const last = children.length - 1;
        const before = children[last];
        if (typeof before === 'string') children[last] = before + text;
        else children.push(text);
      },
      onclosetag() {
        if (open.length > 1) open.pop();
      },
    },
    { decodeEntities: true, lowerCaseTags: true },
  );
  parser.write(html);
  parser.end();
  return root;
}
