import { defineUnlistedScript } from 'wxt/utils/define-unlisted-script';
import { startDialogRelay } from '../../src/adapters/browser/dialogs/relay.ts';

/** The other side of it, in the isolated world. */
export default defineUnlistedScript({ globalName: false, main: () => startDialogRelay() });
