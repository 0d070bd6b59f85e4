import { BrowserPages, Sights } from '../adapters/browser/index.ts';
import type { LinkSocket } from '../adapters/link/connect.ts';
import { Engine } from '../engine/engine.ts';
import { KnowledgeBase } from '../engine/knowledge/base.ts';
import type { Clock, Random } from '../ports/clock.ts';
import type { DatabaseInspector } from '../ports/inspector.ts';
import type { Commit, SecretVault, Store } from '../ports/store.ts';
import { registry } from '../steps/index.ts';
import { languageFor, translatorFor } from '../view/messages/index.ts';
import { untilAlive } from './alive.ts';
import type { App } from './app.ts';
import { AttentionCaller } from './attention.ts';
import { answerCall } from './bridge/methods/index.ts';
import { BridgeService } from './bridge/service.ts';
import type { BackgroundBrowser } from './browser-api.ts';
import { Drafts } from './drafts.ts';
import { EntryShelf } from './entries.ts';
import { resumeGranted } from './granted.ts';
import { Grants } from './grants.ts';
import { Knowledge } from './knowledge.ts';
import { Library } from './library.ts';
import { McpServers } from './mcp.ts';
import { Models } from './models.ts';
import { OutboxPump } from './outbox.ts';
import { PageWaits } from './page-waits.ts';
import { Presence } from './presence.ts';
import type { Schedule } from './schedule.ts';
import { browserSession } from './session.ts';
import type { StoreHealth } from './store-health.ts';
import { TriggerService } from './triggers/index.ts';
import type { Updates } from './updates.ts';
import { Writing } from './writing.ts';

/** What the background is made of; all of it can be had without waiting. */
export interface Parts {
  browser: BackgroundBrowser;
  store: Store;
  vault: SecretVault;
  clock: Clock;
  random: Random;
  /** `navigator.locks`, where the browser has it. */
  locks?: Pick<LockManager, 'request'>;
  fetch?: typeof globalThis.fetch;
  /** What the link to the MCP bridge is made of; absent: this background has none. */
  link?: { open(url: string): LinkSocket; nonce(): string; uuid(): string };
  /** For the diagnostics. */
  inspector?: DatabaseInspector;
  /** Whether this is a build for people, not one for developing; for the diagnostics. */
  production?: boolean;
  /** When this life of the background began, epoch milliseconds; where nobody says, when it was composed. */
  began?: number;
  /** A fault worth a line in the log. Never holds data of a run. */
  log?(message: string): void;
}

/** Wakes the worker to look for the bridge, while this profile is paired. */
const BRIDGE_ALARM = 'tabloom.bridge';
/** How long a result is kept for `fallback: {cached: true}` after its time was up, milliseconds. */
const CACHE_KEPT_MS = 90 * 24 * 3_600_000;

/** The parts of the runtime that outlive a boot that failed. */
export interface Around {
  updates: Updates;
  storage: StoreHealth;
  makeSchedule(running: () => boolean): Schedule;
}

/**
 * Composes everything, recovers all runs, and lets them go on. Asks for the engine's lock before: the caller holds it.
 * @throws whatever the store says when it cannot be opened; nothing is left running then
 */
export async function boot(
  parts: Parts,
  { updates, storage, makeSchedule }: Around,
): Promise<{ app: App; schedule: Schedule }> {
  const { browser, vault, clock, random } = parts;
  const store = storage.watched();
  const session = await browserSession(browser, random);
  const presence = new Presence(store, clock, session);
  const grants = new Grants(browser);
  const models = new Models({
    store,
    vault,
    clock,
    fetch: parts.fetch,
    reach: { online: () => globalThis.navigator?.onLine !== false, granted: (origin) => grants.covers(origin) },
  });
  await models.load();
  const writing = new Writing(updates, clock);
  const { version } = browser.runtime.getManifest();
  const mcp = new McpServers({ store, vault, clock, version, fetch: parts.fetch });
  await mcp.load();
  const pages = new BrowserPages({ browser, vault, session, clock });
  const language = browser.i18n?.getUILanguage();

  const knowledge = new KnowledgeBase(store);
  const engine = new Engine({
    store,
    clock,
    random,
    registry,
    ports: { model: writing.watched(models.port), pages, mcp: mcp.port, knowledge },
    onCommit: (commit) => committed(commit),
    onDue: (at) => schedule.dueAt(at),
    onFault: (message) => parts.log?.(message),
    alive: () => untilAlive(browser, clock),
  });
  // A result that waits for the store is in this worker's memory only.
  const schedule = makeSchedule(
    () => engine.stuck || engine.active.some(({ status }) => status === 'running' || status === 'queued'),
  );
  const attention = new AttentionCaller({
    browser,
    store,
    translator: translatorFor(languageFor(language), language),
    stopped: () => engine.emergency,
    storage: () => storage.fault,
    watched: () => updates.listeners > 0,
  });
  const outbox = new OutboxPump({
    browser,
    store,
    clock,
    translator: translatorFor(languageFor(language), language),
    changed: () => updates.push(['runs']),
  });
  const pageWaits = new PageWaits({
    browser,
    store,
    engine,
    grants,
    sights: new Sights(browser, clock),
    clock,
    random,
  });
  const committed = (commit: Commit): void => {
    presence.seen();
    schedule.check();
    attention.committed(commit);
    outbox.committed(commit);
    triggers.committed(commit);
    pageWaits.committed(commit);
    const what: Parameters<Updates['push']>[0] = commit.approvals.length > 0 ? ['runs', 'approvals'] : ['runs'];
    if (commit.knowledge?.length) updates.push(['knowledge']);
    updates.push(what, commit.runId);
    // A run is shown with what it has called.
    if (commit.run.parent) updates.push(what, commit.run.parent.root);
  };
  const entries = new EntryShelf(store, registry, clock);
  const library = new Library({ store, vault, registry, clock, grants, model: models.port, mcp, entries });
  const bridge = new BridgeService({
    store,
    vault,
    clock,
    random,
    version,
    browser: browser.runtime.getBrowserInfo ? 'firefox' : 'chromium',
    link: parts.link,
    answer: (call) => answerCall(app, call),
    gone: () => undefined,
    changed: () => updates.push(['settings']),
    // The hub comes when a client does, which a worker that was stopped is not told.
    wakes(on) {
      const set = async () =>
        on ? browser.alarms.create(BRIDGE_ALARM, { periodInMinutes: 0.5 }) : browser.alarms.clear(BRIDGE_ALARM);
      set().catch(() => undefined);
    },
  });
  const base: Omit<App, 'triggers'> = {
    browser,
    session,
    clock,
    store,
    vault,
    registry,
    engine,
    pages,
    library,
    entries,
    knowledge: new Knowledge({ store, clock, base: knowledge, changed: () => updates.push(['knowledge']) }),
    models,
    writing,
    mcp,
    grants,
    drafts: new Drafts(store, clock),
    updates,
    attention,
    storage,
    pageWaits,
    presence,
    bridge,
  };
  const triggers = new TriggerService(base, {
    random,
    dueAt: (at) => schedule.dueAt(at, 'triggers'),
    log: parts.log,
  });
  const app: App = { ...base, triggers };
  try {
    await Promise.all([attention.load(), entries.load()]);
    await engine.recover(await presence.goneSince());
    presence.start();
    // What the browser keeps about tabs of runs that ended while the worker was dead.
    void pages.settle();
    // Recovery writes nothing for a run that only waits; this arms its due time all the same.
    engine.tick();
    schedule.boot();
    attention.show();
    await resumeGranted(app);
    // Looking at pages takes as long as they take to answer.
    void pageWaits.load().catch((error: unknown) => parts.log?.(String(error)));
    await app.drafts.forgetOld();
    await app.knowledge.forgetRemoved();
    // Told before the worker died, and not yet brought to anybody.
    void outbox.pump();
    await store.forgetCached(clock.now() - CACHE_KEPT_MS);
    await triggers.boot();
    await bridge.load();
  } catch (error) {
    engine.dispose();
    triggers.stop();
    bridge.stop();
    throw error;
  }
  return { app, schedule };
}
