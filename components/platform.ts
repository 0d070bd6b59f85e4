import { browser } from 'wxt/browser';
import { grantPattern } from '../src/view/run-words.ts';

/** The tab and window this page was opened over; asked for at once, since opening the side panel must stay inside the click. */
export interface Place {
  tabId?: number;
  windowId?: number;
}

let place: Place = {};

/** Looks up the active tab of this window. Without access to a tab only its ids are known, which is enough. */
export async function findPlace(): Promise<Place> {
  try {
    const [tab] = await browser.tabs.query({ active: true, currentWindow: true });
    place = { tabId: tab?.id, windowId: tab?.windowId };
  } catch {
    place = {};
  }
  return place;
}

interface Sidebar {
  open(): Promise<void>;
}
const sidebar = (): Sidebar | undefined => (browser as unknown as { sidebarAction?: Sidebar }).sidebarAction;

/** Opens the side panel (Firefox: the sidebar). Call it straight from a click. `false` where the browser has none. */
export async function openSidePanel(): Promise<boolean> {
  try {
    if (browser.sidePanel?.open && place.windowId !== undefined)
      await browser.sidePanel.open({ windowId: place.windowId });
    else if (sidebar()) await sidebar()?.open();
    else return false;
    return true;
  } catch {
    return false;
  }
}

/** Opens the app page in a tab at a hash route such as `#/settings`. */
export async function openApp(route: string): Promise<void> {
  await browser.tabs.create({ url: new URL('/app.html', location.href).href + route });
}

/**
 * Asks the browser for access to origins. Call it straight from a click: a gesture is needed. The answer is not waited for, since
 * the question may never be answered (headless, or a popup that closes under it); grants are taken from `onGrantsChanged`.
 */
export function requestAccess(origins: readonly string[]): void {
  void browser.permissions.request({ origins: origins.map(grantPattern) }).catch(() => undefined);
}

/** Takes access to an origin back. `false` when the browser refused (a grant it was installed with). */
export async function revokeAccess(origin: string): Promise<boolean> {
  try {
    return await browser.permissions.remove({ origins: [origin] });
  } catch {
    return false;
  }
}

/** Permissions that a person may give or not: `downloads` to see the browser's own, `tabGroups` to put a run's tabs into a group. */
export type OptionalPermission = 'downloads' | 'tabGroups';

// The cast: the list of permissions that the types know is older than the browsers.
const asked = (name: OptionalPermission) => ({ permissions: [name] }) as unknown as { permissions: never[] };

/** Whether it is given; undefined where the browser does not know it. */
export async function hasPermission(name: OptionalPermission): Promise<boolean | undefined> {
  try {
    return await browser.permissions.contains(asked(name));
  } catch {
    return undefined;
  }
}

/** Asks for it, or gives it back. Call it straight from a click; what comes of it is told by `onGrantsChanged`. */
export function wantPermission(name: OptionalPermission, wanted: boolean): void {
  const done = wanted ? browser.permissions.request(asked(name)) : browser.permissions.remove(asked(name));
  void done.catch(() => undefined);
}

/** Calls back when access was given or taken anywhere. Returns a function that ends it. */
export function onGrantsChanged(listener: () => void): () => void {
  const both = [browser.permissions.onAdded, browser.permissions.onRemoved];
  for (const event of both) event.addListener(listener);
  return () => {
    for (const event of both) event.removeListener(listener);
  };
}

/** Calls back when another tab becomes the active one of this window. */
export function onTabActivated(listener: (tabId: number) => void): () => void {
  const onActivated = (info: { tabId: number; windowId: number }) => {
    if (place.windowId === undefined || info.windowId === place.windowId) {
      place = { ...place, tabId: info.tabId };
      listener(info.tabId);
    }
  };
  browser.tabs.onActivated.addListener(onActivated);
  return () => browser.tabs.onActivated.removeListener(onActivated);
}

/** The browser's UI language tag. */
export function browserLanguage(): string {
  return browser.i18n?.getUILanguage?.() ?? navigator.language;
}

/** Saves bytes as a file by an ordinary download link; needs no permission. */
export function saveFile(name: string, mediaType: string, data: BlobPart): void {
  const url = URL.createObjectURL(new Blob([data], { type: mediaType }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A page that is open in a tab and may be read. */
export interface OpenPage {
  tabId: number;
  title: string;
  url: string;
}

/** Pages in tabs that the extension may read now, the last used first. */
export async function openPages(): Promise<OpenPage[]> {
  try {
    const tabs = await browser.tabs.query({});
    return tabs
      .sort((a, b) => (b.lastAccessed ?? 0) - (a.lastAccessed ?? 0))
      .flatMap(({ id, url, title }) =>
        id !== undefined && url !== undefined && /^https?:/.test(url) ? [{ tabId: id, url, title: title || url }] : [],
      );
  } catch {
    return [];
  }
}
