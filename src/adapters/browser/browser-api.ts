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
  tabs: {
    get(id: number): Promise<BrowserTab>;
    create(options: { url: string; windowId?: number; active?: boolean }): Promise<BrowserTab>;
    update(id: number, options: { url?: string; active?: boolean }): Promise<BrowserTab | undefined>;
    remove(id: number): Promise<void>;
    onCreated: Listeners<(tab: BrowserTab) => void>;
    onUpdated: Listeners<(id: number, change: { status?: string; url?: string }) => void>;
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
  };
  permissions: {
    contains(what: { origins: string[] }): Promise<boolean>;
  };
  /** Outlives the worker, not the browser. */
  storage: {
    session: { get(key: string): Promise<Record<string, unknown>>; set(items: Record<string, unknown>): Promise<void> };
  };
}

export type ScriptInjection =
  | { target: ScriptTarget; injectImmediately: boolean; files: string[] }
  | { target: ScriptTarget; injectImmediately: boolean; func: (...args: never[]) => unknown; args: unknown[] };
