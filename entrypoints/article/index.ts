import { defineUnlistedScript } from 'wxt/utils/define-unlisted-script';
import { startArticleScript } from '../../src/actions/page/article/start.ts';

/** What reads articles, put beside the page script by `scripting.executeScript` when a step first asks for it: most pages never need it. */
export default defineUnlistedScript(() => startArticleScript());
