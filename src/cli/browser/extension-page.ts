import type { CdpConnection, CdpSession } from './cdp.ts';
import { extensionUrl } from './extension-id.ts';
import { evaluate, waitForLoad } from './page.ts';

/** One of the extension's own pages, open in a tab that we drive. */
export interface ExtensionPage {
  readonly cdp: CdpConnection;
  readonly session: CdpSession;
  readonly targetId: string;
  /**
   * Sends a message to the background, as the page's own code would, and returns the answer.
   * @throws PageEvaluationError when nobody answers; CdpError when no answer comes in `timeoutMs`.
   */
  sendMessage<T = unknown>(message: unknown, timeoutMs?: number): Promise<T>;
  /** Runs an expression in the page; see {@link evaluate}. */
  evaluate<T>(expression: string, options?: { timeoutMs?: number; gesture?: boolean }): Promise<T>;
  /** Closes the tab. */
  close(): Promise<void>;
}

/**
 * Opens an extension page in a new tab. Messages go to the background through such a page, never through a session with
 * the worker itself.
 * @param page file name inside the build, with an optional hash route: `app.html#/runs`.
 * @param options.background leaves the tab behind the present one.
 * @throws CdpError when the browser is gone.
 */
export async function openExtensionPage(
  cdp: CdpConnection,
  page = 'app.html',
  options: { background?: boolean; newWindow?: boolean } = {},
): Promise<ExtensionPage> {
  const { targetId } = await cdp.send<{ targetId: string }>('Target.createTarget', {
    url: extensionUrl(page),
    background: options.background ?? false,
    newWindow: options.newWindow ?? false,
  });
  const session = await cdp.attach(targetId);
  await waitForLoad(session);
  return {
    cdp,
    session,
    targetId,
    sendMessage: (message, timeoutMs) =>
      evaluate(session, `chrome.runtime.sendMessage(${JSON.stringify(message)})`, { timeoutMs }),
    evaluate: (expression, evaluateOptions) => evaluate(session, expression, evaluateOptions),
    close: async () => {
      await cdp.send('Target.closeTarget', { targetId }).catch(() => undefined);
    },
  };
}
