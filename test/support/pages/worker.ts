import { BrowserPages, type PageBrowser } from '../../../src/adapters/browser/index.ts';
import { systemClock } from '../../../src/adapters/clock.ts';
import { toErrorInfo } from '../../../src/model/errors.ts';
import type { PageCall } from '../../../src/ports/pages.ts';

/** Background of the extension that page actions are tried in: the real adapter, and nothing of the engine. */

const secrets = new Map([
  ['password', 'hunter-42-secret'],
  ['card', '5551234567'],
]);
let aborts = new AbortController();

/** What a test has happen to the tab, once: right before the request to click goes out, or `close during` it. */
type Mishap = 'reload' | 'close' | 'close during';
let mishap: Mishap | undefined;

const chromium = chrome as unknown as PageBrowser;
const browser: PageBrowser = {
  runtime: chromium.runtime,
  tabs: chromium.tabs,
  windows: chromium.windows,
  tabGroups: chromium.tabGroups,
  permissions: chromium.permissions,
  storage: chromium.storage,
  get downloads() {
    return chromium.downloads;
  },
  scripting: {
    async executeScript(injection) {
      const request = 'args' in injection ? (injection.args[2] as { op?: string } | undefined) : undefined;
      if (request?.op !== 'click') return chromium.scripting.executeScript(injection);
      const during = await happen(injection.target.tabId);
      const answer = chromium.scripting.executeScript(injection);
      if (during) setTimeout(() => chrome.tabs.remove(injection.target.tabId), 300);
      return answer;
    },
  },
};

async function happen(tabId: number): Promise<boolean> {
  const what = mishap;
  mishap = undefined;
  if (what === 'close') await chrome.tabs.remove(tabId);
  if (what !== 'reload') return what === 'close during';
  const loaded = new Promise<void>((done) => {
    chrome.tabs.onUpdated.addListener(function listener(id, { status }) {
      if (id !== tabId || status !== 'complete') return;
      chrome.tabs.onUpdated.removeListener(listener);
      done();
    });
  });
  await chrome.tabs.reload(tabId);
  await loaded;
  return false;
}

let pages = make('life-1');

function make(session: string): BrowserPages {
  return new BrowserPages({
    browser,
    session,
    clock: systemClock,
    vault: {
      names: async () => [...secrets.keys()],
      reveal: async (name) => secrets.get(name),
      set: async () => undefined,
      remove: async () => undefined,
    },
  });
}

chrome.tabs.onReplaced.addListener((added, removed) => void pages.replaced(added, removed));
/** A file that the run keeps. */
interface TestFile {
  name: string;
  mediaType: string;
  text: string;
}

/** Called by the tests through the worker. */
Object.assign(globalThis, {
  async act({ files, ...call }: Omit<PageCall, 'signal'> & { files?: Record<string, TestFile> }) {
    aborts = new AbortController();
    const artifact = async (id: string) => {
      const file = files?.[id];
      return file && { ...file, bytes: new TextEncoder().encode(file.text) };
    };
    try {
      return { ok: true, result: await pages.perform({ ...call, artifact, signal: aborts.signal }) };
    } catch (error) {
      return { ok: false, error: toErrorInfo(error) };
    }
  },
  abort: () => aborts.abort(),
  mishap: (what: Mishap) => {
    mishap = what;
  },
  /** As after a relaunch of the browser (another session) or a death of the worker (the same one). */
  restart: (session: string) => {
    pages = make(session);
  },
  /** The run is over. */
  release: (runId: string) => pages.release(runId),
});
