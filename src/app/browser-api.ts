import type { BrowserTab, PageBrowser } from '../adapters/browser/browser-api.ts';
import type { MenuPlace } from '../model/triggers.ts';

/** Who sent a message or opened a port, as far as it is looked at. */
export interface Sender {
  /** Id of the extension that sends. */
  id?: string;
  /** Address of the frame that sends. */
  url?: string;
  origin?: string;
  /** 0 for the top frame; absent for pages outside tabs. */
  frameId?: number;
  /** Set for frames in tabs: content scripts, and our own pages opened in a tab. */
  tab?: { id?: number; url?: string };
}

export interface Port {
  name: string;
  sender?: Sender;
  postMessage(message: unknown): void;
  disconnect(): void;
  onDisconnect: { addListener(listener: () => void): void };
}

/** A tab as events tell of it; address and title only where the person has granted the page, or has just called us there. */
export interface BrowserPageTab {
  id?: number;
  url?: string;
  title?: string;
  windowId?: number;
}

/** A click on an entry of the context menu, as far as it is looked at. */
export interface MenuInfo {
  menuItemId: string | number;
  pageUrl?: string;
  selectionText?: string;
  linkUrl?: string;
  srcUrl?: string;
}

/**
 * What the background needs of the browser beside page driving: a structural part of `browser` of `wxt/browser`, so that unit tests can
 * give their own. What not every browser has is optional.
 */
export interface BackgroundBrowser extends PageBrowser {
  runtime: {
    id: string;
    getURL(path: string): string;
    getManifest(): {
      version: string;
      key?: string;
      permissions?: string[];
      minimum_chrome_version?: string;
      browser_specific_settings?: { gecko?: { id?: string; strict_min_version?: string } };
    };
    /** Firefox. */
    getBrowserInfo?(): Promise<{ name: string; version: string }>;
    getPlatformInfo(): Promise<unknown>;
  };
  tabs: PageBrowser['tabs'] & {
    create(options: { url: string; windowId?: number; active?: boolean }): Promise<BrowserTab>;
    query?(filter: Record<string, never>): Promise<BrowserTab[]>;
  };
  contextMenus?: {
    create(entry: { id: string; title: string; contexts: MenuPlace[]; parentId?: string }): unknown;
    removeAll(): Promise<void>;
  };
  commands?: { getAll(): Promise<{ name?: string; shortcut?: string }[]> };
  permissions: PageBrowser['permissions'] & {
    getAll(): Promise<{ origins?: string[] }>;
  };
  alarms: {
    create(name: string, info: { when?: number; periodInMinutes?: number }): Promise<void> | void;
    clear(name: string): Promise<boolean>;
    getAll(): Promise<{ name: string; scheduledTime: number }[]>;
  };
  action: {
    /** With a tab, for that tab only; `null` is what the other tabs show. */
    setBadgeText(details: { text: string | null; tabId?: number }): Promise<void>;
    setBadgeBackgroundColor(details: { color: string; tabId?: number }): Promise<void>;
    setTitle(details: { title: string; tabId?: number }): Promise<void>;
    openPopup?(): Promise<void>;
  };
  notifications: {
    create(
      id: string,
      options: { type: 'basic'; iconUrl: string; title: string; message: string; priority?: number },
    ): Promise<string>;
    clear(id: string): Promise<boolean>;
  };
  storage: PageBrowser['storage'] & {
    local: { get(key: string): Promise<Record<string, unknown>> };
  };
  management?: { getSelf(): Promise<{ installType: string }> };
  extension?: { inIncognitoContext?: boolean };
  i18n?: { getUILanguage(): string };
  sidePanel?: {
    open?(options: { windowId: number }): Promise<void>;
    setPanelBehavior(options: { openPanelOnActionClick: boolean }): Promise<void>;
  };
  /** Firefox. */
  sidebarAction?: { open(): Promise<void> };
}
