import type { CdpSession } from './cdp.ts';
import { extensionUrl } from './extension-id.ts';
import type { ExtensionPage } from './extension-page.ts';
import { evaluate, until, waitForLoad, waitForTarget } from './page.ts';

/** The toolbar popup, the real one, open and driven as its own target. */
export interface Popup {
  readonly session: CdpSession;
  readonly targetId: string;
  /**
   * Clicks the middle of the first element that matches, by trusted mouse events at its place.
   * @throws Error when none shows up or it has no size.
   */
  click(selector: string): Promise<void>;
  /** Runs an expression in the popup. */
  evaluate<T>(expression: string): Promise<T>;
  /** A PNG of it. */
  screenshot(): Promise<Buffer>;
  /** Closes it and waits until its target is gone. */
  close(): Promise<void>;
}

/**
 * Opens the toolbar popup from an extension page. It belongs to that page's window and closes with its tab.
 * The page calls `chrome.action.openPopup()` itself, so the product needs no message for it.
 * @param opener a page in the window that shall show the popup; it is brought to front first.
 * @throws PageEvaluationError when Chromium refuses, for example because a popup is already open.
 */
export async function openPopup(opener: ExtensionPage): Promise<Popup> {
  const { cdp } = opener;
  await opener.session.send('Page.bringToFront');
  const known = new Set((await cdp.targets()).map(({ targetId }) => targetId));
  await opener.evaluate('chrome.action.openPopup()');
  const { targetId } = await waitForTarget(cdp, extensionUrl('popup.html'), known);
  // Attached only now: a session that is there while the popup opens keeps it from showing.
  const session = await cdp.attach(targetId);
  await waitForLoad(session);
  return {
    session,
    targetId,
    click: (selector) => click(session, selector),
    evaluate: (expression) => evaluate(session, expression),
    screenshot: async () => {
      const { data } = await session.send<{ data: string }>('Page.captureScreenshot', { format: 'png' });
      return Buffer.from(data, 'base64');
    },
    close: async () => {
      await cdp.send('Target.closeTarget', { targetId }).catch(() => undefined);
      await until(
        async () => !(await cdp.targets()).some((target) => target.targetId === targetId),
        () => new Error('The popup did not close.'),
      );
    },
  };
}

/** Clicks the middle of an element in any page we are attached to, by trusted mouse events. */
export async function click(session: CdpSession, selector: string): Promise<void> {
  const locate = `(() => {
    const element = document.querySelector(${JSON.stringify(selector)});
    if (!element) return null;
    element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    const { x, y, width, height } = element.getBoundingClientRect();
    return width && height ? { x: x + width / 2, y: y + height / 2 } : null;
  })()`;
  const point = await until(
    () => evaluate<{ x: number; y: number } | null>(session, locate).then((found) => found ?? undefined),
    () => new Error(`Nothing to click matches ${selector}.`),
  );
  const mouse = { ...point, button: 'left', clickCount: 1 };
  await session.send('Input.dispatchMouseEvent', { type: 'mouseMoved', ...point });
  await session.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...mouse });
  await session.send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...mouse });
}
