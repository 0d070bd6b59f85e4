import { ARTICLE_GLOBAL } from '../../protocol.ts';
import { copyOfPage } from '../article/copy.ts';
import type { Article } from '../article/read.ts';
import { PageError } from '../env.ts';
import type { PageOpRun } from './define.ts';

/** Reads the page's main text; null where the script that can do so is not there yet. */
export const article: PageOpRun = () => {
  const read = Reflect.get(globalThis, ARTICLE_GLOBAL) as ((copy: Document) => Article) | undefined;
  if (!read) return { value: null };
  if (!document.body || document.readyState === 'loading')
    throw new PageError('element_not_found', 'Wait for the page: it has no content yet.', { wait: true });
  return { value: { ...read(copyOfPage()), url: location.href } };
};
