import type { Requests, UpdateMessage } from '../../src/app/protocol.ts';

/** What the fake background answers. `hang` never answers, `{fail}` refuses with a code. Requests that are not named get sensible nothings. */
export type FakeAnswers = { [K in keyof Requests]?: Requests[K]['out'] | 'hang' | { fail: string; message: string } };

export interface FakeWindow {
  fake: {
    answers: Record<string, unknown>;
    asked: { name: string; payload: unknown }[];
    permissionRequests: string[][];
    openedTabs: string[];
    push(update: UpdateMessage): void;
    /** Breaks the update port, as a stopped worker does. */
    dropPorts(): void;
    grantsChanged(): void;
  };
}

/**
 * Runs in the page before anything else and puts a `browser` there that answers the protocol from `answers`. Drafts are kept in
 * `localStorage`, so they survive a reload as the background's do. Self-contained: it is sent to the page as text.
 */
export function installFakeBrowser({
  answers,
  look,
}: {
  answers: Record<string, unknown>;
  look?: { language?: string; theme?: string };
}): void {
  type Listener = (...args: never[]) => void;
  const event = () => {
    const listeners = new Set<Listener>();
    return {
      addListener: (listener: Listener) => void listeners.add(listener),
      removeListener: (listener: Listener) => void listeners.delete(listener),
      emit(...args: unknown[]) {
        for (const listener of listeners) (listener as (...all: unknown[]) => void)(...args);
      },
    };
  };
  if (look) localStorage.setItem('tabloom.look', JSON.stringify(look));

  const nothings: Record<string, unknown> = {
    'command.send': { ok: true },
    'approvals.decide': { results: [] },
    'rules.list': { rules: [] },
    'mcp.get': { servers: [] },
    'mcp.changes': { changes: [] },
    'spending.get': {
      month: '2026-12',
      months: [{ month: '2026-12', usage: { inputTokens: 0, outputTokens: 0 }, calls: 0, unpriced: 0, workflows: [] }],
    },
    'bridge.get': { label: 'Chrome', paired: false, linked: false, clients: [] },
    'outbox.list': { entries: [] },
    'outbox.dismiss': { entries: [] },
    'rules.withdraw': { rules: [] },
    'grants.missing': { origins: [] },
    'grants.list': { origins: [] },
    'models.get': { accounts: [], names: {} },
    'consent.get': { consents: [] },
    'consent.set': { consents: [] },
    'models.set': { saved: true },
    'secrets.list': { names: [] },
    'secrets.set': { names: [] },
    'run.get': null,
    'writing.get': { texts: [] },
    'artifact.get': null,
    'workflow.get': null,
    'triggers.list': { triggers: [] },
    'trigger.form': null,
    'workflow.check': { wants: null, problems: [] },
    'run.events': { events: [] },
    'engine.stopAll': { stopped: true },
    'health.get': { version: '0.1.0', ready: true, unfinished: 0, life: { began: 0, ready: 1 } },
  };
  const ports: { onMessage: ReturnType<typeof event>; onDisconnect: ReturnType<typeof event> }[] = [];
  const added = event();
  const removed = event();
  const fake: FakeWindow['fake'] = {
    answers: { ...answers },
    asked: [],
    permissionRequests: [],
    openedTabs: [],
    push(update) {
      for (const port of ports) port.onMessage.emit(update);
    },
    dropPorts() {
      for (const port of ports.splice(0)) port.onDisconnect.emit();
    },
    grantsChanged: () => added.emit(),
  };

  const answer = (name: string, payload: Record<string, string>): unknown => {
    if (name === 'draft.set') {
      localStorage.setItem(`draft:${payload.key}`, payload.text ?? '');
      return { ok: true, value: { saved: true } };
    }
    if (name === 'draft.get') return { ok: true, value: { text: localStorage.getItem(`draft:${payload.key}`) ?? '' } };
    const value = Object.hasOwn(fake.answers, name) ? fake.answers[name] : nothings[name];
    if (typeof value === 'object' && value !== null && 'fail' in value)
      return { ok: false, error: { code: value.fail, message: (value as { message?: string }).message ?? '' } };
    return { ok: true, value: structuredClone(value) };
  };

  const fakeBrowser = {
    runtime: {
      id: 'tabloom',
      sendMessage: (message: { name: string; payload: Record<string, string> }) => {
        fake.asked.push({ name: message.name, payload: message.payload });
        if (fake.answers[message.name] === 'hang') return new Promise(() => {});
        return Promise.resolve(answer(message.name, message.payload));
      },
      connect: () => {
        const port = { onMessage: event(), onDisconnect: event(), disconnect: () => {} };
        ports.push(port);
        return port;
      },
    },
    tabs: {
      query: () => Promise.resolve([{ id: 7, windowId: 1 }]),
      create: ({ url }: { url: string }) => {
        fake.openedTabs.push(url);
        return Promise.resolve({});
      },
      onActivated: event(),
    },
    permissions: {
      // Never answered, as where no prompt can be shown.
      request: ({ origins, permissions }: { origins?: string[]; permissions?: string[] }) => {
        fake.permissionRequests.push(origins ?? permissions ?? []);
        return new Promise(() => {});
      },
      contains: () => Promise.resolve(false),
      remove: () => Promise.resolve(true),
      onAdded: added,
      onRemoved: removed,
    },
    i18n: { getUILanguage: () => 'en-GB' },
  };
  Object.assign(window, { browser: fakeBrowser, fake, close: () => {} });
}
