import { startDialogGuard } from '../../../src/adapters/browser/dialogs/guard.ts';

startDialogGuard(true);
