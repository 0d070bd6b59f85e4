import { Turns } from '../../../engine/turns.ts';
import { TabloomError } from '../../../model/errors.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { PageBrowser, ScriptResult } from '../browser-api.ts';
import type { Leases } from '../leases.ts';
import { MARK_GLOBAL, newMark } from '../page-scripts.ts';
import { withTimeout } from '../time.ts';
import {
  ANSWER_MARK,
  type DialogAnswer,
  type FromGuard,
  RELAY_FORCED,
  RELAY_GLOBAL,
  STANDING_MARK,
  type ToGuards,
} from './channel.ts';
import { DialogNotes } from './notes.ts';
import { type CarriedAnswer, GUARD_NOW_FILE, RELAY_FILE, registerScripts, standingTold, tellTabs } from './rules.ts';

/** A tab whose frames do not answer for so long has a dialog open that came past the guard, or is busy. Milliseconds. */
const SILENCE = 2000;

type Message = Omit<ToGuards, 'taken'>;
type Told = { document: string; reply: FromGuard; mark: string } | null;

/**
 * Dialogs of the pages that runs drive. Every document of a tab that a run has is told so by the browser, and has a guard that answers in
 * its place; where a document could not be told (one from a service worker of the site, from the cache of pages, or opened before the run
 * came to it) the guard is put there as soon as it is seen, and before each act.
 */
export class Dialogs {
  readonly #browser: PageBrowser;
  readonly #clock: Clock;
  readonly #leases: Leases;
  readonly #notes = new DialogNotes();
  /** Tabs that a click has opened and that are no run's yet. */
  readonly #expected = new Set<number>();
  /** Answers by `handle_dialog`. */
  readonly #standing = new Map<number, CarriedAnswer>();
  /** Answers of a navigation that is under way. */
  readonly #carried = new Map<number, CarriedAnswer>();
  /** Whether what an earlier life of the worker told the browser has been read. */
  #read = false;
  /** Guards that are being placed, one at a time for each tab. */
  readonly #placing = new Turns();
  #syncing: Promise<void> = Promise.resolve();

  constructor(browser: PageBrowser, clock: Clock, leases: Leases) {
    this.#browser = browser;
    this.#clock = clock;
    this.#leases = leases;
    leases.onChange = (taken, dropped) => {
      for (const tab of dropped) this.#end(tab);
      for (const tab of taken) void this.#look(tab);
      void this.sync();
    };
    browser.tabs.onUpdated.addListener((id, { status, url }) => {
      if (status === undefined && url === undefined) return;
      if (leases.owner(id) !== undefined || this.#expected.has(id)) void this.#look(id);
    });
  }

  /** Brings what the browser knows in line with the tabs that runs have. Never throws: without it dialogs are met by {@link arm} alone. */
  sync(): Promise<void> {
    this.#syncing = this.#syncing.then(() => this.#apply()).catch(() => undefined);
    return this.#syncing;
  }

  async #apply(): Promise<void> {
    if (!this.#read) {
      for (const carried of await standingTold(this.#browser)) {
        if (this.#leases.owner(carried.tabId) !== undefined) this.#standing.set(carried.tabId, carried);
      }
      this.#read = true;
    }
    const tabs = [...new Set([...this.#leases.tabs, ...this.#expected])];
    const origins = tabs.length === 0 ? [] : ((await this.#browser.permissions.getAll?.())?.origins ?? []);
    await registerScripts(
      this.#browser,
      origins.filter((origin) => origin === '<all_urls>' || /^(\*|https?):/.test(origin)),
    );
    await tellTabs(this.#browser, tabs, [...this.#standing.values(), ...this.#carried.values()]);
  }

  /** A click has opened a tab; it is not a run's yet, and its page is already on its way. */
  expect(tabId: number): void {
    this.#expected.add(tabId);
    void this.sync();
  }

  /** The tabs that were expected are the run's by now, or nobody's. */
  expected(tabIds: Iterable<number>): void {
    for (const tab of tabIds) this.#expected.delete(tab);
    void this.sync();
  }

  /** What the relay of a page says of its own accord. Data of the page. */
  heard(tabId: number, report: unknown): void {
    const { document, notes } = (report ?? {}) as { document?: unknown; notes?: unknown };
    if (this.#leases.owner(tabId) !== undefined || this.#expected.has(tabId)) this.#notes.add(tabId, document, notes);
  }

  /**
   * Before an act: every frame of the tab has its guard, and the act's answer holds in those of the origin that is acted on, until the next
   * act. A page that cannot be reached is for the act to find.
   * @returns mark of the tab's document that was told, as the page script has it; `undefined` where that is not known
   * @throws TabloomError `timeout` when the tab does not answer, `cancelled`
   */
  async arm(
    tabId: number,
    answer: DialogAnswer | null,
    origin: string,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    await this.arrived(tabId);
    const told = await this.#guarded(tabId, { act: answer }, origin, signal).catch((error: unknown) => {
      if (TabloomError.is(error)) throw error;
      return [];
    });
    return told.find(({ frameId }) => frameId === 0)?.told?.mark;
  }

  /** The tab's answer from now on, also in further pages of the same origin. */
  async stand(tabId: number, answer: DialogAnswer, origin: string, signal: AbortSignal): Promise<void> {
    this.#standing.set(tabId, { tabId, origin, answer, mark: STANDING_MARK });
    await this.sync();
    await this.#guarded(tabId, { act: null, standing: answer }, origin, signal);
  }

  /**
   * Before the tab goes to another page. The answer holds for leaving this one, and for dialogs that the next one opens while it loads.
   * @returns whether the page objects, and the answer is to stay. A page that does not answer has no say.
   */
  async leave(tabId: number, answer: DialogAnswer | undefined, url: string, signal: AbortSignal): Promise<boolean> {
    if (answer) {
      this.#carried.set(tabId, { tabId, origin: new URL(url).origin, answer, mark: ANSWER_MARK });
      await this.sync();
    }
    const act = answer ? { accept: answer.accept } : null;
    const told = await this.#guarded(tabId, { act, leaving: true }, undefined, signal).catch(() => []);
    return told.some((one) => one.told?.reply.objects === true);
  }

  /** A tab of a run is there and about to load its first page. */
  async opening(tabId: number, answer: DialogAnswer | undefined, url: string): Promise<void> {
    if (answer) this.#carried.set(tabId, { tabId, origin: new URL(url).origin, answer, mark: ANSWER_MARK });
    await this.sync();
  }

  /** The next page is there. */
  async arrived(tabId: number): Promise<void> {
    if (this.#carried.delete(tabId)) await this.sync();
  }

  /** After an act: the dialogs of the tab that no action has told yet. */
  async collect(tabId: number, signal: AbortSignal): Promise<JsonObject[]> {
    await this.#talk(tabId, {}, undefined, signal).catch(() => undefined);
    const notes = this.#notes.take(tabId);
    // So that the next life of the worker does not tell them again.
    if (notes.length > 0) this.#talk(tabId, {}, undefined, signal).catch(() => undefined);
    return notes;
  }

  /** Those that are known without asking the page. */
  known(tabId: number): JsonObject[] {
    return this.#notes.take(tabId);
  }

  /** Whether the tab's top frame still does anything. */
  async answers(tabId: number): Promise<boolean> {
    const call = this.#execute({ tabId, frameIds: [0] }, { func: here, args: [] });
    return withTimeout(
      this.#clock,
      SILENCE,
      call.then(() => true).catch(() => true),
      false,
    );
  }

  /** A document that was not told that it is driven gets its guard, as early as can be. */
  async #look(tabId: number): Promise<void> {
    await this.#guarded(tabId, {}, undefined, new AbortController().signal).catch(() => undefined);
  }

  #end(tabId: number): void {
    this.#standing.delete(tabId);
    this.#carried.delete(tabId);
    this.#notes.forget(tabId);
    this.#talk(tabId, { end: true }, undefined, new AbortController().signal).catch(() => undefined);
  }

  /** Says something to all frames of a tab; where there is no guard, puts it there first. */
  async #guarded(
    tabId: number,
    message: Message,
    origin: string | undefined,
    signal: AbortSignal,
  ): Promise<{ frameId: number; told: Told }[]> {
    const told = await this.#talk(tabId, message, origin, signal);
    const whole = told.every(({ result }) => result);
    const now = whole
      ? told
      : await this.#placing.after(String(tabId), () => this.#place(tabId, message, origin, signal));
    return now.map(({ frameId, result }) => ({ frameId, told: result as Told }));
  }

  /** Puts guards where there are none. Never twice at once in a tab: a second guard would know nothing of what the first was told. */
  async #place(
    tabId: number,
    message: Message,
    origin: string | undefined,
    signal: AbortSignal,
  ): Promise<ScriptResult[]> {
    const target = (results: ScriptResult[]) => ({
      tabId,
      frameIds: results.flatMap(({ frameId, result }) => (result ? [] : [frameId])),
    });
    let told = await this.#talk(tabId, message, origin, signal);
    let bare = target(told);
    if (bare.frameIds.length > 0) {
      await this.#put(signal, async () => {
        await this.#execute(bare, { func: force, args: [RELAY_FORCED] });
        await this.#execute(bare, { files: [`/${RELAY_FILE}`] });
      });
      told = await this.#talk(tabId, message, origin, signal);
      bare = target(told);
    }
    if (bare.frameIds.length > 0) {
      await this.#put(signal, () => this.#execute(bare, { files: [`/${GUARD_NOW_FILE}`], world: 'MAIN' }));
      told = await this.#talk(tabId, message, origin, signal);
    }
    return told;
  }

  /** A frame that is gone meanwhile needs nothing; one that cannot have it shows itself by its silence. */
  async #put(signal: AbortSignal, work: () => Promise<unknown>): Promise<void> {
    const done = work().catch(() => undefined);
    if ((await withTimeout(this.#clock, SILENCE, done, 'silent' as const, signal)) === 'silent') throw silent(signal);
  }

  async #talk(
    tabId: number,
    message: Message,
    origin: string | undefined,
    signal: AbortSignal,
  ): Promise<ScriptResult[]> {
    // As a text: on their way to a page Chromium drops what is null in objects.
    const said: ToGuards = { ...message, taken: this.#notes.taken(tabId) };
    const call = this.#execute(
      { tabId, allFrames: true },
      { func: talk, args: [RELAY_GLOBAL, JSON.stringify(said), origin ?? null, MARK_GLOBAL, newMark(this.#clock)] },
    );
    const results = await withTimeout(this.#clock, SILENCE, call, 'silent' as const, signal);
    if (results === 'silent') throw silent(signal);
    for (const { result } of results) {
      const told = result as Told | undefined;
      const owned = this.#leases.owner(tabId) !== undefined;
      if (told && owned) this.#notes.add(tabId, told.document, told.reply.notes);
    }
    return results;
  }

  #execute(
    target: { tabId: number; frameIds?: number[]; allFrames?: boolean },
    script: { files: string[]; world?: 'MAIN' } | { func: (...args: never[]) => unknown; args: unknown[] },
  ): Promise<ScriptResult[]> {
    return this.#browser.scripting.executeScript({ target, injectImmediately: true, ...script });
  }
}

function silent(signal: AbortSignal): TabloomError {
  if (signal.aborted) return new TabloomError('cancelled', 'The step was called off.');
  return new TabloomError(
    'timeout',
    'Look at the tab: it does not answer; a dialog may be open in it, or its page is busy.',
    { details: { reason: 'tab_silent' }, acted: false },
  );
}

// The functions below run in the page's isolated world; they may use nothing but their arguments.

function talk(name: string, message: string, origin: string | null, markName: string, fresh: string): unknown {
  const relay = (
    globalThis as unknown as Record<string, { talk(message: object, origin?: string): object | null } | undefined>
  )[name];
  const told = relay?.talk(JSON.parse(message), origin ?? undefined);
  if (!told) return null;
  const world = globalThis as unknown as Record<string, string>;
  world[markName] ??= fresh;
  return { ...told, mark: world[markName] };
}

function force(name: string): void {
  (globalThis as unknown as Record<string, boolean>)[name] = true;
}

function here(): unknown {
  return true;
}
