import { ARTICLE_GLOBAL } from '../../protocol.ts';
import { readArticle } from './read.ts';

/** Puts what reads articles beside the page script, once. */
export function startArticleScript(): void {
  if (!Reflect.has(globalThis, ARTICLE_GLOBAL)) Reflect.set(globalThis, ARTICLE_GLOBAL, readArticle);
}
