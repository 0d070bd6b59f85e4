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
