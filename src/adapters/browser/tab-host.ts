import { Turns } from '../../engine/turns.ts';
import { TabloomError } from '../../model/errors.ts';
import type { RunTab, RunTabs } from '../../model/run.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PageCall } from '../../ports/pages.ts';
import type { BrowserTab, PageBrowser } from './browser-api.ts';
import type { DialogAnswer } from './dialogs/channel.ts';
import type { Dialogs } from './dialogs/dialogs.ts';
import { loseFilled, lostError } from './filled.ts';
import type { Gate, GateRules } from './gate.ts';
import type { Leases } from './leases.ts';
import { addTab, changeTab, closedError, closeTab, hasPage, isMasked, mergeTabs, pickTab } from './run-tabs.ts';

/**
 * Where the build puts the page with which a run's new tab begins. It is one of our own because the browser hides the address of
 * `about:blank` from us, so that it could not be told from a page of a site that is not granted.
 */
const EMPTY_FILE = '/opening.html';
/** How often, and how far apart, it is looked whether the empty page of a new tab is there: 2 s in all. */
const EMPTY_LOOKS = 100;
const EMPTY_PAUSE = 20;

/** One action on its way, as far as tabs are concerned. */
export type TabCall = Pick<PageCall, 'runId' | 'tabs' | 'tab'>;
type OpeningCall = TabCall & Pick<PageCall, 'idempotencyKey'>;

/**
 * The tabs of all runs in this life of the worker. It is the truth about them while the worker lives, so that two actions of a run at the
 * same time do not give two tabs one id, and a tab opened by an attempt that then failed is used again by the next one.
 */
export class TabHost {
  readonly session: string;
  /** Whether the browser hides a tab's address for a moment while one document makes way for another, as Firefox does. */
  readonly hidesAddresses: boolean;
  readonly #browser: PageBrowser;
  readonly #leases: Leases;
  readonly #gate: Gate;
  readonly #dialogs: Dialogs;
  readonly #clock: Pick<Clock, 'setTimer'>;
  readonly #books = new Map<string, RunTabs>();
  /** Tabs by the key of the step that opened them, for each run. */
  readonly #opened = new Map<string, Map<string, string>>();
  /** Reopening and opening a first tab, one at a time for each run. */
  readonly #opening = new Turns();
  readonly #empty: string;
  /** Tabs of the browser in which nothing has been seen yet but the empty page. */
  readonly #fresh = new Set<number>();
  /** Tabs whose page the browser had dropped. */
  readonly #woken = new Set<number>();
  /** Those that this life of the worker has opened: their history begins with the empty page. */
  readonly #begun = new Set<number>();
  /** Tabs that came of an act, and whose first page was not seen yet. */
  readonly #adopted = new Set<number>();

  constructor(
    browser: PageBrowser,
    session: string,
    leases: Leases,
    gate: Gate,
    dialogs: Dialogs,
    clock: Pick<Clock, 'setTimer'>,
  ) {
    this.#browser = browser;
    this.session = session;
    this.#leases = leases;
    this.#gate = gate;
    this.#dialogs = dialogs;
    this.#clock = clock;
    this.#empty = browser.runtime.getURL(EMPTY_FILE);
    this.hidesAddresses = this.#empty.startsWith('moz-extension:');
  }

  /** The browser has put another tab in the place of one, with the same page: it is the run's in its stead. */
  replaced(added: number, removed: number): void {
    this.#leases.replace(added, removed);
    for (const known of [this.#fresh, this.#woken, this.#begun, this.#adopted])
      if (known.delete(removed)) known.add(added);
    for (const [runId, tabs] of this.#books) {
      const [tab] = tabs.list.filter((one) => one.browserTabId === removed && one.session === this.session);
      if (tab) this.#books.set(runId, changeTab(tabs, tab.tab, { browserTabId: added }));
    }
  }

  /** Whether a tab still has the page with which it began. */
  isEmpty(found: BrowserTab): boolean {
    return found.url === this.#empty;
  }

  /** Whether a tab's first page is still on its way, as far as was looked: another action of the run may have opened it just now. */
  isOpening({ browserTabId }: RunTab): boolean {
    return this.#fresh.has(browserTabId);
  }

  /** Whether a tab came of an act, and its first page was not seen yet: it has no address, or a blank page, until that is there. */
  awaitsFirstPage({ browserTabId }: RunTab): boolean {
    return this.#adopted.has(browserTabId);
  }

  /** Whether the first entry of a tab's history is known to be the empty page. */
  beganEmpty({ browserTabId }: RunTab): boolean {
    return this.#begun.has(browserTabId);
  }

  /** The run's tabs now. */
  tabs(call: TabCall): RunTabs {
    const tabs = this.#ownWindowOnly(mergeTabs(this.#books.get(call.runId), call.tabs));
    this.#books.set(call.runId, tabs);
    return tabs;
  }

  change(call: TabCall, tabs: RunTabs): void {
    this.#books.set(call.runId, tabs);
  }

  /** The tabs of a run that are in its own window, as the browser knows them. */
  inOwnWindow(runId: string): Set<number> {
    const { list, windowId } = this.#books.get(runId) ?? { list: [] };
    const own = list.filter((tab) => tab.windowId === windowId && tab.session === this.session && !tab.closed);
    return new Set(windowId === undefined ? [] : own.map((tab) => tab.browserTabId));
  }

  forget(runId: string): void {
    this.#books.delete(runId);
    this.#opened.delete(runId);
  }

  /** Window ids begin anew with each browser: one from before may be the person's window now. */
  #ownWindowOnly(tabs: RunTabs): RunTabs {
    if (tabs.windowId === undefined) return tabs;
    if (tabs.list.some((tab) => tab.session === this.session && tab.windowId === tabs.windowId)) return tabs;
    const { windowId: _, ...rest } = tabs;
    return rest;
  }

  /**
   * The tab that an action works in: leased, open, in this life of the browser. A lost one is opened again at its last address unless the
   * action must not be done twice, or at the one that the action is to lead `at`.
   * @throws TabloomError `input_invalid`, `tab_closed`, `tab_lost`, `operation_failed` (another run has it), as the gate.
   */
  async resolve(call: TabCall, id: string | undefined, once: boolean, rules: GateRules, at?: string): Promise<RunTab> {
    return (await this.find(call, id, once, rules, at)).tab;
  }

  /** The same, with what the browser has just said of it: nothing where its page is loaded again. */
  async find(
    call: TabCall,
    id: string | undefined,
    once: boolean,
    rules: GateRules,
    at?: string,
  ): Promise<{ tab: RunTab; found?: BrowserTab }> {
    const tab = pickTab(this.tabs(call), id);
    if (tab.session !== this.session) {
      if (once) throw lostError(tab);
      // Kept without the secret that was in it, it leads somewhere else.
      if (at === undefined && isMasked(tab.url)) {
        throw new TabloomError(
          'tab_lost',
          `Open the page again before this step: tab ${tab.tab} was lost with the browser, and its address held a secret.`,
          { details: { tab: tab.tab } },
        );
      }
      return { tab: await this.#opening.after(call.runId, () => this.#reopen(call, tab.tab, rules, at)) };
    }
    this.#leases.take(call.runId, tab.browserTabId);
    const found = await this.look(call, tab.tab);
    if (found.discarded) await this.#wake(call, tab);
    const now = pickTab(this.tabs(call), tab.tab);
    return found.discarded ? { tab: now } : { tab: now, found };
  }

  /** Has a page load again that the browser has dropped to save memory; what was filled in there is gone. */
  async #wake(call: TabCall, tab: RunTab): Promise<void> {
    this.change(call, loseFilled(this.tabs(call), tab.tab));
    await this.#browser.tabs.reload?.(tab.browserTabId);
    // It is waited for as the first page of a tab is.
    this.#fresh.add(tab.browserTabId);
    this.#woken.add(tab.browserTabId);
  }

  /** Whether a tab's page has just been loaded again by us: until it is there, Firefox says that it is. True once. */
  isWoken({ browserTabId }: RunTab): boolean {
    return this.#woken.delete(browserTabId);
  }

  async #reopen(call: TabCall, id: string, rules: GateRules, at: string | undefined): Promise<RunTab> {
    const tab = pickTab(this.tabs(call), id);
    // Another action of the run has done it meanwhile.
    if (tab.session === this.session) return tab;
    const url = at ?? tab.url;
    await this.#gate.check(url, { sites: rules.sites });
    const opened = await this.#openBrowserTab(call, url, true);
    const tabs = loseFilled(changeTab(this.tabs(call), id, opened), id);
    this.change(call, { ...tabs, windowId: opened.windowId });
    return pickTab(this.tabs(call), id);
  }

  /**
   * What the browser says of a tab now; keeps its address and title.
   * @throws TabloomError `tab_closed` when the person closed it, `timeout` when the browser says nothing of use.
   */
  async look(call: TabCall, id: string): Promise<BrowserTab> {
    const known = this.tabs(call).list.find((tab) => tab.tab === id);
    if (!known || known.closed) throw closedError(known ?? ({ tab: id } as RunTab));
    let found: BrowserTab;
    try {
      found = await this.#browser.tabs.get(known.browserTabId);
    } catch (error) {
      // Only the browser's own word that there is no such tab says so. A worker that is being ended gets other errors for every call, and
      // must not write down, with its last breath, that a person closed the tab.
      if (!/no tab with id|invalid tab id/i.test(error instanceof Error ? error.message : String(error))) {
        throw new TabloomError('timeout', 'Try again: the browser gave no answer about the tab.', { acted: false });
      }
      this.#leases.drop(known.browserTabId);
      this.#fresh.delete(known.browserTabId);
      this.#woken.delete(known.browserTabId);
      this.#begun.delete(known.browserTabId);
      this.#adopted.delete(known.browserTabId);
      const tabs = closeTab(this.tabs(call), id, 'person');
      this.change(call, tabs);
      throw closedError(tabs.list.find((tab) => tab.tab === id) as RunTab);
    }
    if (!this.isEmpty(found)) this.#fresh.delete(known.browserTabId);
    if (hasPage(found)) this.#adopted.delete(known.browserTabId);
    // A page that is not granted has no address; the last one known stays, for reopening.
    const change: Partial<RunTab> = { windowId: found.windowId };
    const blank = this.#adopted.has(known.browserTabId);
    if (found.url && !blank && !this.isEmpty(found))
      Object.assign(change, { url: found.url, title: found.title ?? '' });
    this.change(call, changeTab(this.tabs(call), id, change));
    return found;
  }

  /** A tab that the person has closed counts as lost instead, since it was asked to go on with it: it is opened again where it was. */
  async forgive(call: TabCall, id: string | undefined): Promise<void> {
    const tabs = this.tabs(call);
    const tab = tabs.list.find((one) => one.tab === (id ?? tabs.current));
    if (!tab || tab.closed === 'run' || tab.session !== this.session) return;
    if (!tab.closed) await this.look(call, tab.tab).catch(() => undefined);
    const now = this.tabs(call).list.find((one) => one.tab === tab.tab);
    if (now?.closed !== 'person') return;
    const { closed: _, ...open } = now;
    const list = this.tabs(call).list.map((one) => (one.tab === tab.tab ? { ...open, session: '' } : one));
    this.change(call, { ...this.tabs(call), list });
  }

  /** The tab that an earlier attempt of the same step opened in this life of the worker, if it is still open. */
  openedBefore(call: OpeningCall): RunTab | undefined {
    const id = this.#opened.get(call.runId)?.get(call.idempotencyKey);
    return this.tabs(call).list.find((tab) => tab.tab === id && !tab.closed && tab.session === this.session);
  }

  /** Opens a tab of the run at an address that was checked before. */
  open(
    call: OpeningCall,
    url: string,
    options: { current: boolean; active: boolean; answer?: DialogAnswer },
  ): Promise<RunTab> {
    return this.#opening.after(call.runId, async () => {
      const opened = await this.#openBrowserTab(call, url, options.active, options.answer);
      const { tabs, tab } = addTab(this.tabs(call), opened, options.current);
      this.change(call, { ...tabs, windowId: opened.windowId });
      const known = this.#opened.get(call.runId) ?? new Map<string, string>();
      this.#opened.set(call.runId, known.set(call.idempotencyKey, tab.tab));
      return tab;
    });
  }

  /** Makes a tab that a click opened one of the run's. @param asked address that the page asked for, as far as that is known */
  adopt(call: TabCall, found: BrowserTab, asked = ''): RunTab | undefined {
    if (found.id === undefined || this.#leases.owner(found.id) !== undefined) return undefined;
    this.#leases.take(call.runId, found.id);
    if (!hasPage(found)) this.#adopted.add(found.id);
    const known = {
      browserTabId: found.id,
      session: this.session,
      url: found.pendingUrl || (hasPage(found) ? found.url : '') || asked,
      title: found.title ?? '',
    };
    const { tabs, tab } = addTab(this.tabs(call), { ...known, windowId: found.windowId }, false);
    this.change(call, tabs);
    return tab;
  }

  /** Closes a tab of an earlier life of the browser, which is not there any more. */
  forgo(call: TabCall, tab: RunTab): void {
    this.change(call, closeTab(this.tabs(call), tab.tab, 'run'));
  }

  async close(call: TabCall, tab: RunTab): Promise<void> {
    this.change(call, closeTab(this.tabs(call), tab.tab, 'run'));
    this.#leases.drop(tab.browserTabId);
    await this.#browser.tabs.remove(tab.browserTabId);
  }

  /**
   * Brings a background tab forward within the run's own window. In the person's window that would take their page away: an action that
   * changes something fails there, a read goes on.
   * @throws TabloomError `tab_not_visible`
   */
  async bringForward(call: TabCall, tab: RunTab, found: BrowserTab, read: boolean): Promise<void> {
    if (found.active !== false) return;
    if (found.windowId !== undefined && found.windowId === this.tabs(call).windowId) {
      await this.#browser.tabs.update(tab.browserTabId, { active: true });
      return;
    }
    // A page that is put to sleep answers nothing, not even what only looks.
    if (read && !found.frozen) return;
    throw new TabloomError(
      'tab_not_visible',
      `Show tab ${tab.tab} in its window: pages in the background are not drawn.`,
      {
        details: { tab: tab.tab },
      },
    );
  }

  /**
   * In the run's own window, which is made, unfocused, where there is none. It begins empty: the tab must be the run's before its first page
   * is asked for, since that page has to be told.
   */
  async #openBrowserTab(
    call: TabCall,
    url: string,
    active: boolean,
    answer?: DialogAnswer,
  ): Promise<Omit<RunTab, 'tab'>> {
    const windowId = await this.#openWindow(call);
    let made: BrowserTab | undefined;
    if (windowId !== undefined) {
      made = await this.#browser.tabs.create({ url: this.#empty, windowId, active });
    } else {
      const window = await this.#browser.windows.create({ url: this.#empty, focused: false, type: 'normal' });
      made = window?.tabs?.[0];
      if (made) made = { ...made, windowId: window?.id ?? made.windowId };
    }
    if (made?.id === undefined) throw new TabloomError('internal', 'The browser opened no tab.');
    const { id } = made;
    this.#leases.take(call.runId, id);
    try {
      await this.#dialogs.opening(id, answer, url);
      await this.#untilEmpty(id);
      this.#fresh.add(id);
      this.#begun.add(id);
      await this.#browser.tabs.update(id, { url });
    } catch (error) {
      this.#leases.drop(id);
      this.#fresh.delete(id);
      await this.#browser.tabs.remove(id).catch(() => undefined);
      throw error;
    }
    return { browserTabId: id, session: this.session, url, title: '', windowId: made.windowId };
  }

  /** The empty page must be there: one that is still on its way would take the place of the page that is asked for now. */
  async #untilEmpty(id: number): Promise<void> {
    for (let looks = 0; looks < EMPTY_LOOKS; looks++) {
      const { status, pendingUrl } = await this.#browser.tabs.get(id);
      if (status === 'complete' && !pendingUrl) return;
      await new Promise<void>((resolve) => this.#clock.setTimer(EMPTY_PAUSE, resolve));
    }
  }

  async #openWindow(call: TabCall): Promise<number | undefined> {
    const { windowId } = this.tabs(call);
    if (windowId === undefined) return undefined;
    return this.#browser.windows.get(windowId).then(
      () => windowId,
      () => undefined,
    );
  }
}
