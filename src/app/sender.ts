import { isObject, type Json } from '../model/json.ts';
import type { Sender } from './browser-api.ts';

/** Our own identity: the extension's id, and the address that all its pages begin with (`chrome-extension://…/`). */
export interface Self {
  id: string;
  base: string;
}

/**
 * True for the top frame of one of the extension's own pages, in a tab or not. A content script has our id too, but the address of the
 * page it runs in; a page of ours inside a frame is not taken, since a web page could have put it there.
 */
export function isOwnPage(sender: Sender | undefined, self: Self): boolean {
  if (!sender || sender.id !== self.id) return false;
  if (!sender.url?.startsWith(self.base)) return false;
  if (sender.frameId !== undefined && sender.frameId !== 0) return false;
  // Chromium and newer Firefox say it; a sandboxed page has the origin "null".
  if (sender.origin !== undefined && `${sender.origin}/` !== self.base) return false;
  return sender.tab?.url === undefined || sender.tab.url.startsWith(self.base);
}

/** The tab whose page script hints that its page should be looked at again; `undefined` for every other message. */
export function hintingTab(message: unknown, sender: Sender | undefined, self: Self): number | undefined {
  if (!sender || sender.id !== self.id || sender.frameId !== 0 || isOwnPage(sender, self)) return undefined;
  return isObject(message) && message.tabloom === 1 && message.sight === true ? sender.tab?.id : undefined;
}

/**
 * The tab of a page of the web whose script tells of a dialog. What it tells is data of that page: it is kept for the run that drives the
 * tab, if one does, and nothing is answered. `undefined` for every other message.
 */
export function reportingTab(
  message: unknown,
  sender: Sender | undefined,
  self: Self,
): { tabId: number; dialogs: Json } | undefined {
  if (!sender || sender.id !== self.id || sender.tab?.id === undefined || isOwnPage(sender, self)) return undefined;
  if (!isObject(message) || message.tabloom !== 1 || message.dialogs === undefined) return undefined;
  return { tabId: sender.tab.id, dialogs: message.dialogs };
}
