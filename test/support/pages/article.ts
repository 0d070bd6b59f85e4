import { startArticleScript } from '../../../src/actions/page/article/start.ts';

startArticleScript();
