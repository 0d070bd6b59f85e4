import { TabloomError } from '../../../model/errors.ts';
import { askPage } from '../ask.ts';
import { ARTICLE_SCRIPT_FILE } from '../page-scripts.ts';
import type { PageAct } from './context.ts';

/** Reads the page's main text. The script that can do so is put into a document when it says that it is not there. */
export const readArticle: PageAct = async (context, acting) => {
  const { driver, time } = context;
  for (;;) {
    const { value, place } = await askPage(driver, acting, 'article', {});
    if (value !== null) return { output: value, meta: context.readMeta(acting.tab) };
    await driver.scripts.add(place, ARTICLE_SCRIPT_FILE, time);
    if (time.over) throw new TabloomError('timeout', 'Try again: the page kept changing its address.');
  }
};
