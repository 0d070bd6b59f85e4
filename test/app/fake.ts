import type { BackgroundBrowser, Port, Sender } from '../../src/app/browser-api.ts';

export const ID = 'abcdefghijklmnopabcdefghijklmnop';
export const BASE = `chrome-extension://${ID}/`;

/** Our app page, open in a tab. */
export const OWN: Sender = {
  id: ID,
  url: `${BASE}app.html#/runs`,
  origin: BASE.slice(0, -1),
  frameId: 0,
  tab: { id: 7, url: `${BASE}app.html#/runs` },
};

/** What the background has asked of the browser, and what the test says it answers. */
export interface FakeBrowser {
  browser: BackgroundBrowser;
  granted: string[];
  tabs: Map<number, { id: number; url?: string; title?: string; windowId: number }>;
  alarms: Map<string, { when?: number; periodInMinutes?: number }>;
  calls: string[];
  badge: { text: string; title: string; color: string };
  notified: Map<string, { title: string; message: string }>;
  opened: string[];
  local: Record<string, unknown>;
  session: Record<string, unknown>;
}

/** Match patterns as Chromium treats them, as far as the tests go: scheme, host with sub-domains, port. */
function contains(granted: readonly string[], pattern: string): boolean {
  const read = (text: string) =>
    /^(\*|https?):\/\/([^/:]+)(?::(\d+))?\/\*$/.exec(text)?.slice(1) as [string, string, string | undefined];
  const [scheme, host, port] = read(pattern);
  return granted.some((text) => {
    const [grantScheme, grantHost, grantPort] = read(text);
    const hostFits =
      grantHost === '*' ||
      grantHost === host ||
      (grantHost.startsWith('*.') && (host.endsWith(grantHost.slice(1)) || host === grantHost.slice(2)));
    return (
      (grantScheme === '*' || grantScheme === scheme) && hostFits && (grantPort === undefined || grantPort === port)
    );
  });
}

const noListeners = { addListener: () => undefined, removeListener: () => undefined };

/** A browser without pages, in memory. With `noPorts` it refuses ports in match patterns, as Firefox does. */
export function fakeBrowser(options: { noPorts?: boolean } = {}): FakeBrowser {
  const fake: FakeBrowser = {
    granted: [],
    tabs: new Map(),
    alarms: new Map(),
    calls: [],
    badge: { text: '', title: '', color: '' },
    notified: new Map(),
    opened: [],
    local: {},
    session: {},
    browser: {
      runtime: {
        id: ID,
        getURL: (path) => `${BASE}${path.replace(/^\//, '')}`,
        getManifest: () => ({ version: '1.2.3' }),
        getPlatformInfo: async () => fake.calls.push('getPlatformInfo'),
      },
      tabs: {
        get: async (id) => {
          const tab = fake.tabs.get(id);
          if (!tab) throw new Error(`No tab with id: ${id}.`);
          return tab;
        },
        create: async ({ url }) => {
          fake.opened.push(url.replace(BASE, ''));
          return { id: 99 };
        },
        update: async () => undefined,
        remove: async () => undefined,
        onCreated: noListeners,
        onUpdated: noListeners,
      },
      windows: { create: async () => undefined, get: async (id) => ({ id }) },
      scripting: { executeScript: async () => [] },
      permissions: {
        contains: async ({ origins }) => {
          if (options.noPorts && origins.some((origin) => /:\d+\//.test(origin)))
            throw new Error(`Type error for parameter permissions (${origins[0]})`);
          return origins.every((origin) => contains(fake.granted, origin));
        },
        getAll: async () => ({ origins: [...fake.granted] }),
      },
      alarms: {
        create: (name, info) => void fake.alarms.set(name, info),
        clear: async (name) => fake.alarms.delete(name),
        getAll: async () => [...fake.alarms].map(([name, { when }]) => ({ name, scheduledTime: when ?? 0 })),
      },
      action: {
        setBadgeText: async ({ text }) => void Object.assign(fake.badge, { text }),
        setBadgeBackgroundColor: async ({ color }) => void Object.assign(fake.badge, { color }),
        setTitle: async ({ title }) => void Object.assign(fake.badge, { title }),
      },
      notifications: {
        create: async (id, { title, message }) => {
          fake.notified.set(id, { title, message });
          return id;
        },
        clear: async (id) => fake.notified.delete(id),
      },
      storage: {
        local: { get: async () => fake.local },
        session: { get: async () => fake.session, set: async (items) => void Object.assign(fake.session, items) },
      },
      i18n: { getUILanguage: () => 'en-US' },
    },
  };
  return fake;
}

export interface FakePort extends Port {
  sent: unknown[];
  closed: boolean;
  /** As when its page goes away. */
  leave(): void;
}

export function fakePort(name: string, sender: Sender): FakePort {
  const listeners: (() => void)[] = [];
  const port: FakePort = {
    name,
    sender,
    sent: [],
    closed: false,
    postMessage: (message) => void port.sent.push(message),
    disconnect: () => {
      port.closed = true;
    },
    onDisconnect: { addListener: (listener) => void listeners.push(listener) },
    leave: () => {
      for (const listener of listeners) listener();
    },
  };
  return port;
}

/** Lets everything that is already on its way come to its end; no time passes on the virtual clock. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}
