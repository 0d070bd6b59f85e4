import { defineUnlistedScript } from 'wxt/utils/define-unlisted-script';
import { startDialogGuard } from '../../src/adapters/browser/dialogs/guard.ts';

/**
 * Answers a page's dialogs, in the page's own world, from the start of the document. Registered at run time, while runs have tabs; inert in
 * every other tab. It must leave no global behind, hence no name.
 */
export default defineUnlistedScript({ globalName: false, main: () => startDialogGuard(false) });
