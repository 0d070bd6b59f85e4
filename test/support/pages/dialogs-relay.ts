import { startDialogRelay } from '../../../src/adapters/browser/dialogs/relay.ts';

startDialogRelay();
