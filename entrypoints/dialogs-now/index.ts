import { defineUnlistedScript } from 'wxt/utils/define-unlisted-script';
import { startDialogGuard } from '../../src/adapters/browser/dialogs/guard.ts';

/** The same for one document of a driven tab that could not know that it is driven. */
export default defineUnlistedScript({ globalName: false, main: () => startDialogGuard(true) });
