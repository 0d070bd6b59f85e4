import type { BackgroundBrowser } from './browser-api.ts';

/** Set in `storage.local` where no tab may be opened unasked. */
const QUIET = 'tabloom.quiet';

type SurfaceBrowser = Pick<
  BackgroundBrowser,
  'runtime' | 'tabs' | 'action' | 'sidePanel' | 'sidebarAction' | 'storage'
>;

/** Opens our app page in a new tab at a hash route such as `#/runs`. */
export async function openApp(browser: SurfaceBrowser, route: string): Promise<void> {
  await browser.tabs.create({ url: `${browser.runtime.getURL('/app.html')}${route}`, active: true });
}

/** Opens the popup, where the newest approval is; where the browser cannot (no focused window, an old version), the app page. */
export async function openApproval(browser: SurfaceBrowser): Promise<void> {
  try {
    if (!browser.action.openPopup) throw new Error('this browser cannot open it');
    await browser.action.openPopup();
  } catch {
    await openApp(browser, '#/approvals');
  }
}

/**
 * Opens the side panel. Only inside the event that a gesture has caused, and before anything is awaited: the browser takes the gesture away.
 */
export function openSidePanel(browser: SurfaceBrowser, windowId: number | undefined): Promise<void> {
  if (browser.sidePanel?.open && windowId !== undefined) return browser.sidePanel.open({ windowId });
  if (browser.sidebarAction) return browser.sidebarAction.open();
  return openApp(browser, '#/approvals');
}

/** A click on one of our notifications: the approval in the popup; a run, or a step of it that waits, or a workflow, in the app page. */
export function openNotified(browser: SurfaceBrowser, notificationId: string): Promise<void> {
  const [kind, ...rest] = notificationId.split('/');
  if (kind === 'run') return openApp(browser, `#/runs/${encodeURIComponent(rest.join('/'))}`);
  if (kind === 'workflow') return openApp(browser, `#/workflows/${encodeURIComponent(rest.join('/'))}`);
  // Its run comes encoded, since the path behind it may have slashes.
  return kind === 'wait' || kind === 'outbox' ? openApp(browser, `#/runs/${rest[0]}`) : openApproval(browser);
}

/** The welcome page after the first install. Not where it is switched off, and not in a headless browser: nobody would read it. */
export async function welcome(browser: SurfaceBrowser, reason: string, userAgent: string): Promise<void> {
  if (reason !== 'install' || /\bHeadlessChrome\b/.test(userAgent)) return;
  if ((await browser.storage.local.get(QUIET))[QUIET] !== undefined) return;
  await openApp(browser, '#/welcome');
}
