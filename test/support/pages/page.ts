import { startPageScript } from '../../../src/adapters/browser/page-start.ts';

startPageScript();
