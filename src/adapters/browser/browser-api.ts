/** The part of the browser's tab object that is used. `url` and `title` are there only for pages that the person has granted. */
export interface BrowserTab {
  id?: number;
  windowId?: number;
  url?: string;
  pendingUrl?: string;
  title?: string;
  status?: string;
  active?: boolean;
  openerTabId?: number;
  /** Its group in the tab strip; -1 for none. */
  groupId?: number;
  /** The browser has dropped its page to save memory, and loads it again once the tab is shown. */
  discarded?: boolean;
  /** The browser has stopped its page for the same reason: nothing runs in it until the tab is shown. */
  frozen?: boolean;
}

interface Listeners<F> {
  addListener(listener: F): void;
  removeListener(listener: F): void;
}

export interface ScriptTarget {
  tabId: number;
  frameIds?: number[];
  allFrames?: boolean;
}

export interface ScriptResult {
  frameId: number;
  result?: unknown;
  /** Firefox tells failures here, where Chromium rejects. */
  error?: unknown;
}

/** What page driving needs of the browser: a structural part of `browser` of `wxt/browser`, so that tests can give their own. */
export interface PageBrowser {
  runtime: { getURL(path: string): string };
  tabs: {
    get(id: number): Promise<BrowserTab>;
    create(options: { url: string; windowId?: number; active?: boolean; openerTabId?: number }): Promise<BrowserTab>;
    update(id: number, options: { url?: string; active?: boolean }): Promise<BrowserTab | undefined>;
    remove(id: number): Promise<void>;
    goForward?(id: number): Promise<void>;
    reload?(id: number): Promise<void>;
    group?(options: TabGrouping): Promise<number>;
    ungroup?(ids: number[]): Promise<void>;
    /** A data address of a PNG of the tab that a window shows. */
    captureVisibleTab?(windowId: number, options: { format: 'png' }): Promise<string>;
    onActivated?: Listeners<(info: { tabId: number; windowId: number }) => void>;
    onCreated: Listeners<(tab: BrowserTab) => void>;
    onUpdated: Listeners<(id: number, change: { status?: string; url?: string }) => void>;
  };
  /** There where the person has allowed it. */
  tabGroups?: {
    query(what: { windowId: number; title: string }): Promise<{ id: number }[]>;
    update(id: number, change: { title: string }): Promise<unknown>;
  };
  windows: {
    create(options: {
      url: string;
      focused: boolean;
      type: 'normal';
    }): Promise<{ id?: number; tabs?: BrowserTab[] } | undefined>;
    get(id: number): Promise<{ id?: number }>;
  };
  scripting: {
    executeScript(injection: ScriptInjection): Promise<ScriptResult[]>;
    registerContentScripts?(scripts: RegisteredScript[]): Promise<void>;
    unregisterContentScripts?(filter: { ids: string[] }): Promise<void>;
    getRegisteredContentScripts?(filter: { ids: string[] }): Promise<{ id: string; matches?: string[] }[]>;
  };
  permissions: {
    contains(what: { origins: string[] }): Promise<boolean>;
    getAll?(): Promise<{ origins?: string[] }>;
  };
  declarativeNetRequest?: {
    getSessionRules(): Promise<KnownRule[]>;
    updateSessionRules(change: { removeRuleIds: number[]; addRules: HeaderRule[] }): Promise<void>;
  };
  /** There while the person grants it. */
  downloads?: {
    cancel(id: number): Promise<void>;
    erase(query: { id: number }): Promise<unknown>;
    removeFile(id: number): Promise<void>;
    onCreated: Listeners<(item: BrowserDownload) => void>;
  };
  /** Outlives the worker, not the browser. */
  storage: {
    session: { get(key: string): Promise<Record<string, unknown>>; set(items: Record<string, unknown>): Promise<void> };
  };
}

/** Tabs to put into a group, or into a new one. */
export interface TabGrouping {
  tabIds: number[];
  groupId?: number;
  createProperties?: { windowId: number };
}

/** The part of a download of the browser's own that is used. */
export interface BrowserDownload {
  id: number;
  url: string;
  finalUrl?: string;
  referrer?: string;
  mime?: string;
  /** Where it is saved: a path. */
  filename?: string;
  byExtensionId?: string;
}

/** The world is that of the page's own scripts where it is said, else the isolated one. */
export type ScriptInjection =
  | { target: ScriptTarget; injectImmediately: boolean; files: string[]; world?: 'MAIN' }
  | {
      target: ScriptTarget;
      injectImmediately: boolean;
      func: (...args: never[]) => unknown;
      args: unknown[];
      world?: 'MAIN';
    };

export interface RegisteredScript {
  id: string;
  js: string[];
  matches: string[];
  world: 'MAIN' | 'ISOLATED';
  allFrames: boolean;
  matchOriginAsFallback: boolean;
  runAt: 'document_start';
  persistAcrossSessions: boolean;
}

/** A rule as the browser gives it back. */
export interface KnownRule {
  id: number;
  action: { responseHeaders?: { value?: string }[] };
  condition: { tabIds?: number[]; urlFilter?: string };
}

/** A rule that adds a header to the responses of certain tabs. */
export interface HeaderRule {
  id: number;
  action: {
    type: 'modifyHeaders';
    responseHeaders: { header: string; operation: 'append'; value: string }[];
  };
  condition: { tabIds: number[]; resourceTypes: ('main_frame' | 'sub_frame')[]; urlFilter?: string };
}
