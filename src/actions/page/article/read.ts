import { Readability } from '@mozilla/readability';
import { toMarkdown } from './markdown.ts';

/** The main text of a page. */
export interface Article {
  title: string;
  byline: string | null;
  markdown: string;
}

const LONGEST_LINE = 300;
/** A page whose main text is shorter is read as a whole, characters. */
const SHORTEST = 200;

/**
 * The article of a copy of a page, which is used up by it.
 * @param copy a document of its own, that nothing is loaded or run in
 */
export function readArticle(copy: Document): Article {
  const title = tidy(copy.title);
  const whole = copy.body.cloneNode(true) as HTMLElement;
  for (const part of whole.querySelectorAll('nav, footer, [role="navigation"], [role="contentinfo"]')) part.remove();
  const found = new Readability<Element>(copy, {
    disableJSONLD: true,
    serializer: (node) => node as Element,
    charThreshold: SHORTEST,
  }).parse();
  const content = found?.content ?? undefined;
  const enough = content && (content.textContent ?? '').trim().length >= SHORTEST;
  const main = whole.querySelector('main, [role="main"], article') ?? whole;
  return {
    title: cut(tidy(found?.title || title)),
    byline: cut(tidy(found?.byline ?? '')) || null,
    markdown: toMarkdown(enough ? content : main),
  };
}

function tidy(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function cut(text: string): string {
  return text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE - 1)}…` : text;
}
