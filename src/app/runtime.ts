import type { App, Handlers } from './app.ts';
import { boot, type Parts } from './boot.ts';
import type { Port, Sender } from './browser-api.ts';
import { resumeGranted } from './granted.ts';
import { createHandlers } from './handlers/index.ts';
import { ENGINE_LOCK, holdLock } from './lock.ts';
import { type RequestName, type ResponseMessage, UPDATES_PORT } from './protocol.ts';
import { createRouter } from './router.ts';
import { Schedule } from './schedule.ts';
import { isOwnPage, type Self } from './sender.ts';
import { openApproval, openNotified, openSidePanel, welcome } from './surfaces.ts';
import { Updates } from './updates.ts';

interface Running {
  app: App;
  schedule: Schedule;
  handlers: Omit<Handlers, 'health.get'>;
}

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
  #ready = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#self = { id: parts.browser.runtime.id, base: parts.browser.runtime.getURL('') };
    this.#updates = new Updates(parts.clock);
    this.#route = createRouter(this.#self, (name, payload) => this.#dispatch(name, payload));
  }

  /** Boots, if that has not begun. Rejects when the store cannot be opened. */
  ready(): Promise<Running> {
    this.#booting ??= this.#boot().catch((error: unknown) => {
      this.#booting = undefined;
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
  onMessage(message: unknown, sender: Sender): Promise<ResponseMessage> | undefined {
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
    });
  }

  /** Grants were added or removed. Removed ones need no more: the engine meets them at the next act, and waits. */
  onGrants(): void {
    this.#then(async ({ app }) => {
      await resumeGranted(app);
      app.updates.push(['settings']);
    });
  }

  /** A keyboard command. Everything before the first `await` is still inside the person's gesture. */
  onCommand(name: string, windowId: number | undefined): void {
    const { browser } = this.#parts;
    if (name === 'open-side-panel')
      openSidePanel(browser, windowId).catch((error: unknown) => this.#parts.log?.(String(error)));
    else if (name === 'next-approval') void openApproval(browser).catch(() => undefined);
    else if (name === 'stop-all') this.#then(({ handlers }) => handlers['engine.stopAll']({ lift: false }));
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
    this.#lock ??= holdLock(this.#parts.locks, ENGINE_LOCK, () => this.#lockLost());
    await this.#lock;
    const { app, schedule } = await boot(this.#parts, {
      updates: this.#updates,
      makeSchedule: (running) => new Schedule({ browser, clock, running }),
    });
    this.#ready = true;
    return { app, schedule, handlers: createHandlers(app) };
  }

  /** Another instance drives the runs now. This one stops, asks for the lock again, and goes on when that one has gone. */
  #lockLost(): void {
    const before = this.#booting;
    this.#lock = undefined;
    this.#booting = undefined;
    this.#ready = false;
    this.#parts.log?.('Another Tabloom has taken over; this one has stopped.');
    before
      ?.then(({ app, schedule }) => {
        app.engine.dispose();
        schedule.stop();
      })
      .catch(() => undefined);
    this.wake();
  }

  async #dispatch(name: RequestName, payload: never): Promise<unknown> {
    if (name === 'health.get') return this.#health();
    const { handlers } = await this.ready();
    return handlers[name](payload);
  }

  /** Answers also while another instance holds the lock, or when the boot fails. */
  async #health(): Promise<{ version: string; ready: boolean; unfinished: number }> {
    this.wake();
    const unfinished = await this.#parts.store.runs({ status: ['queued', 'running', 'waiting', 'paused'] });
    return {
      version: this.#parts.browser.runtime.getManifest().version,
      ready: this.#ready,
      unfinished: unfinished.length,
    };
  }

  #then(work: (running: Running) => unknown): void {
    this.ready()
      .then(work)
      .catch((error: unknown) => this.#parts.log?.(error instanceof Error ? error.message : String(error)));
  }
}
