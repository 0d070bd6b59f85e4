import { defineUnlistedScript } from 'wxt/utils/define-unlisted-script';
import { startPageScript } from '../../src/adapters/browser/page-start.ts';

/**
 * The page script: put into the isolated world of a frame on demand, by `scripting.executeScript`. Not a content script in the manifest's
 * sense, since those are announced to the page by an event.
 */
export default defineUnlistedScript(() => startPageScript());
