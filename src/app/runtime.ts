import type { DoctorFacts, Fault } from '../view/doctor/facts.ts';
import type { App, Handlers } from './app.ts';
import { boot, type Parts } from './boot.ts';
import type { BrowserPageTab, MenuInfo, Port, Sender } from './browser-api.ts';
import { collectFacts } from './doctor/collect.ts';
import { Life } from './doctor/life.ts';
import { faultOf, within } from './doctor/within.ts';
import { dynamicCode } from './dynamic-code.ts';
import { resumeGranted } from './granted.ts';
import { createHandlers } from './handlers/index.ts';
import { ENGINE_LOCK, holdLock } from './lock.ts';
import { type RequestName, type Requests, type ResponseMessage, UPDATES_PORT } from './protocol.ts';
import { createRouter } from './router.ts';
import { Schedule } from './schedule.ts';
import { hintingTab, isOwnPage, reportingTab, type Self } from './sender.ts';
import { StoreHealth, storageFault } from './store-health.ts';
import { openApproval, openNotified, openSidePanel, welcome } from './surfaces.ts';
import { Updates } from './updates.ts';

interface Running {
  app: App;
  schedule: Schedule;
  handlers: Omit<Handlers, 'health.get' | 'doctor.get'>;
}

/** How long the diagnostics wait for a start that is under way, milliseconds. */
const START_PATIENCE = 10_000;

/**
 * The background's one object: made at once, so that every listener can be registered in the first turn, and booted once. What arrives
 * before recovery is done waits for it. A boot that fails is tried again by the next event. An instance that loses the engine's lock to
 * another one stops at once and waits for its turn.
 */
export class Runtime {
  readonly #parts: Parts;
  readonly #self: Self;
  readonly #updates: Updates;
  readonly #route: ReturnType<typeof createRouter>;
  #lock: Promise<void> | undefined;
  #booting: Promise<Running> | undefined;
  readonly #life: Life;
  readonly #storage: StoreHealth;
  #lockHeld = false;
  #running: Running | undefined;
  /** Why the last start has failed; stays while the next one is tried. */
  #bootFault: Fault | undefined;

  constructor(parts: Parts) {
    this.#life = new Life(parts.browser, parts.clock, parts.began);
    // What is logged is kept for the diagnostics too.
    const log = (message: string) => {
      this.#life.fault(message);
      parts.log?.(message);
    };
    this.#parts = { ...parts, log };
    this.#self = { id: parts.browser.runtime.id, base: parts.browser.runtime.getURL('') };
    this.#updates = new Updates(parts.clock);
    this.#storage = new StoreHealth(parts.store, () => {
      this.#updates.push(['settings']);
      this.#running?.app.attention.show();
    });
    this.#route = createRouter(this.#self, (name, payload) => this.#dispatch(name, payload));
  }

  /** Boots, if that has not begun. Rejects when the store cannot be opened. */
  ready(): Promise<Running> {
    this.#booting ??= this.#boot().catch((error: unknown) => {
      this.#booting = undefined;
      this.#bootFault = faultOf(error);
      this.#parts.log?.(`Tabloom could not start: ${error instanceof Error ? error.message : String(error)}`);
      throw error;
    });
    return this.#booting;
  }

  /** Begins at once; for events that need nothing but a living engine. */
  wake(): void {
    this.ready().catch(() => undefined);
  }

  /** `undefined` for what is not ours to answer. */
  onMessage(message: unknown, sender: Sender): Promise<ResponseMessage | boolean> | undefined {
    const hinting = hintingTab(message, sender, this.#self);
    if (hinting !== undefined) return this.#hinted(hinting);
    const report = reportingTab(message, sender, this.#self);
    if (report) this.#then(({ app }) => app.pages.heard(report.tabId, report.dialogs));
    return this.#route(message, sender);
  }

  onConnect(port: Port): void {
    if (port.name === UPDATES_PORT && isOwnPage(port.sender, this.#self)) this.#updates.add(port);
    else port.disconnect();
    this.wake();
  }

  onAlarm(name: string): void {
    this.#then(({ app, schedule }) => {
      schedule.fired(name);
      app.engine.tick();
      app.bridge.look();
      // Where there are no Web Locks, the alarm may be that of an instance that has died over its runs.
      app.engine.look().catch((error: unknown) => this.#parts.log?.(String(error)));
      return app.triggers.tick();
    });
  }

  /** Grants were added or removed. Removed ones need no more: the engine meets them at the next act, and waits. */
  onGrants(): void {
    this.#then(async ({ app }) => {
      await app.pages.settle();
      await resumeGranted(app);
      app.updates.push(['settings']);
      await app.triggers.granted();
      await app.pageWaits.lookAtAll();
    });
  }

  /** A keyboard command. Everything before the first `await` is still inside the person's gesture. */
  onCommand(name: string, tab: BrowserPageTab | undefined): void {
    const { browser } = this.#parts;
    const windowId = tab?.windowId;
    const [, slot] = /^slot-(\d)$/.exec(name) ?? [];
    if (name === 'open-side-panel')
      openSidePanel(browser, windowId).catch((error: unknown) => this.#parts.log?.(String(error)));
    else if (name === 'next-approval') void openApproval(browser).catch(() => undefined);
    else if (slot !== undefined) this.#then(({ app }) => app.triggers.slot(Number(slot), tab));
    else if (name === 'stop-all') this.#then(({ handlers }) => handlers['engine.stopAll']({ lift: false }));
  }

  /** A tab shows another address, by a navigation or by its page's own script, or has loaded. */
  onTab(tabId: number, change: { url?: string; status?: string }, url: string | undefined): void {
    if (url === undefined || (change.url === undefined && change.status !== 'complete')) return;
    this.#then(({ app }) => app.pageWaits.updated(tabId, url));
    this.#then(({ app }) => app.triggers.tabUpdated(tabId, url));
  }

  onTabClosed(tabId: number): void {
    this.#then(({ app }) => app.triggers.tabClosed(tabId));
  }

  /** The browser has put another tab in the place of one, as it does with those that it drops to save memory. */
  onTabReplaced(added: number, removed: number): void {
    this.#then(({ app }) => app.pages.replaced(added, removed));
  }

  onMenu(info: MenuInfo, tab: BrowserPageTab | undefined): void {
    this.#then(({ app }) => app.triggers.menuClicked(info, tab));
  }

  /** Text is typed behind our keyword in the address bar. */
  onOmnibox(text: string, suggest: (found: { content: string; description: string }[]) => void): void {
    this.#then(({ app }) => suggest(app.triggers.suggest(text)));
  }

  onOmniboxEntered(text: string): void {
    this.#then(({ app }) => app.triggers.entered(text));
  }

  onNotificationClicked(id: string): void {
    void openNotified(this.#parts.browser, id).catch(() => undefined);
  }

  onInstalled(reason: string): void {
    void welcome(this.#parts.browser, reason, navigator.userAgent).catch(() => undefined);
    this.wake();
  }

  async #boot(): Promise<Running> {
    const { browser, clock } = this.#parts;
    await browser.sidePanel?.setPanelBehavior({ openPanelOnActionClick: false }).catch(() => undefined);
    this.#life.begin();
    this.#lock ??= holdLock(this.#parts.locks, ENGINE_LOCK, () => this.#lockLost());
    await this.#lock;
    this.#lockHeld = true;
    const { app, schedule } = await boot(this.#parts, {
      updates: this.#updates,
      storage: this.#storage,
      makeSchedule: (running) => new Schedule({ browser, clock, running }),
    });
    this.#running = { app, schedule, handlers: createHandlers(app) };
    this.#bootFault = undefined;
    this.#life.ready();
    return this.#running;
  }

  /** Another instance drives the runs now. This one stops, asks for the lock again, and goes on when that one has gone. */
  #lockLost(): void {
    const before = this.#booting;
    this.#lock = undefined;
    this.#lockHeld = false;
    this.#booting = undefined;
    this.#running = undefined;
    this.#parts.log?.('Another Tabloom has taken over; this one has stopped.');
    before
      ?.then(({ app, schedule }) => {
        app.engine.dispose();
        app.triggers.stop();
        app.bridge.stop();
        schedule.stop();
      })
      .catch(() => undefined);
    this.wake();
  }

  async #dispatch(name: RequestName, payload: never): Promise<unknown> {
    if (name === 'health.get') return this.#health();
    if (name === 'doctor.get') return this.#diagnose();
    const { handlers } = await this.ready();
    return handlers[name](payload);
  }

  /** Answers also while another instance holds the lock, or when the boot fails. */
  async #health(): Promise<Requests['health.get']['out']> {
    this.wake();
    const { startedAt: began, readyAt } = this.#life;
    const life = { began, ...(readyAt === undefined ? {} : { ready: readyAt }) };
    const { version } = this.#parts.browser.runtime.getManifest();
    const health = { version, dynamicCode: dynamicCode(), life };
    try {
      const unfinished = await this.#parts.store.runs({ status: ['queued', 'running', 'waiting', 'paused'] });
      const ready = this.#running !== undefined;
      return { ...health, ready, unfinished: unfinished.length, storage: this.#storage.fault ?? null };
    } catch (error) {
      // A store that cannot even be read is the first thing that its health should say.
      return { ...health, ready: false, unfinished: 0, storage: storageFault(error) ?? null };
    }
  }

  /** Answers in bounded time, whatever the start does. */
  async #diagnose(): Promise<DoctorFacts> {
    const { clock, locks } = this.#parts;
    // One that waits for the lock, or for a slow disk, has not failed: the fault that ends it is kept apart.
    const running = await within(clock, START_PATIENCE, this.ready()).catch(() => undefined);
    return collectFacts(this.#parts, {
      life: this.#life,
      lock: this.#lockHeld ? (locks ? 'held' : 'unsupported') : this.#lock ? 'waiting' : 'unasked',
      running,
      bootFault: this.#bootFault,
    });
  }

  /** @returns whether the tab was looked at: a page that is not told so hints again */
  #hinted(tabId: number): Promise<boolean> {
    const looked = this.ready().then(({ app }) => app.pageWaits.hinted(tabId));
    return looked.then(
      () => true,
      () => false,
    );
  }

  #then(work: (running: Running) => unknown): void {
    this.ready()
      .then((running) => {
        const { engine, presence } = running.app;
        if (engine.active.length > 0) presence.seen();
        return work(running);
      })
      .catch((error: unknown) => this.#parts.log?.(error instanceof Error ? error.message : String(error)));
  }
}
