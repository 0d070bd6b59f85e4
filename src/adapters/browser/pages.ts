import { browserActions, parseArguments } from '../../actions/index.ts';
import { durationMs } from '../../model/duration.ts';
import { type ErrorInfo, TabloomError } from '../../model/errors.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { RunTab, RunTabs } from '../../model/run.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PageCall, PagePort, PageResult } from '../../ports/pages.ts';
import type { SecretVault } from '../../ports/store.ts';
import type { Acting, Driver } from './acting.ts';
import { askPage } from './ask.ts';
import type { BrowserTab, PageBrowser } from './browser-api.ts';
import { clickElement } from './click.ts';
import { checkFilled, clearFilled, markFilled } from './filled.ts';
import { Gate, type GateRules } from './gate.ts';
import { Leases } from './leases.ts';
import { MASK, maskSecrets } from './masks.ts';
import { checkedTab, goTo, sameDocument, untilOpened, type WaitFor } from './navigation.ts';
import { PageScripts } from './page-scripts.ts';
import { extractPages } from './paging.ts';
import { Readings } from './readings.ts';
import { pickTab } from './run-tabs.ts';
import { fillSecrets, RunSecrets } from './secrets.ts';
import { TabHost } from './tab-host.ts';
import { Allowance } from './time.ts';
import { waitUntil } from './wait.ts';

export interface BrowserPagesOptions {
  browser: PageBrowser;
  vault: SecretVault;
  /** Marks this life of the browser: another one after each relaunch, the same while it runs. */
  session: string;
  clock: Clock;
}

/** Part of an attempt's time that is kept back, so that our own error comes before the engine's `timeout`. */
const RESERVE = 0.05;
const RESERVE_MOST = 500;

interface Done {
  output: Json;
  meta?: JsonObject;
}

/** Pages of the person's own browser, driven by a script in their isolated world. See {@link PagePort}. */
export class BrowserPages implements PagePort {
  readonly #driver: Driver;
  readonly #leases = new Leases();
  readonly #vault: SecretVault;
  readonly #secrets: RunSecrets;

  constructor(options: BrowserPagesOptions) {
    const { browser, clock } = options;
    const gate = new Gate(browser);
    const host = new TabHost(browser, options.session, this.#leases, gate);
    this.#driver = {
      browser,
      clock,
      gate,
      host,
      scripts: new PageScripts(browser, clock),
      readings: new Readings(browser),
    };
    this.#vault = options.vault;
    this.#secrets = new RunSecrets(options.vault);
  }

  lease(runId: string, tabs: RunTabs): void {
    this.#leases.takeAll(runId, tabs, this.#driver.host.session);
  }

  release(runId: string): void {
    this.#leases.dropAll(runId);
    this.#driver.host.forget(runId);
    this.#secrets.forget(runId);
  }

  async perform(call: PageCall): Promise<PageResult> {
    const action = browserActions.get(call.action);
    if (!action)
      throw new TabloomError('input_invalid', `Use another action: there is no "${call.action}".`, { field: 'action' });
    const args = parseArguments(action, call.arguments);
    if (args.dialog !== undefined) {
      throw new TabloomError('bad_request', 'Leave "dialog" out: answering dialogs is not supported yet.', {
        field: 'dialog',
      });
    }
    const time = new Allowance(
      this.#driver.clock,
      call.timeoutMs - Math.min(RESERVE_MOST, call.timeoutMs * RESERVE),
      call.signal,
    );
    const once = action.effect === 'once';
    const names = [...new Set([...(call.secretNames ?? []), ...namesIn(call)])];
    const secrets = await this.#secrets.values(call.runId, names);
    try {
      const done = action.pageSide
        ? await this.#inPage(call, args, time, once, action.effect === 'read', secrets)
        : await this.#onTabs(call, args, time, once, secrets);
      const result: PageResult = { output: done.output, tabs: this.#driver.host.tabs(call) };
      if (done.meta) result.meta = done.meta;
      return maskSecrets(result, secrets);
    } catch (error) {
      throw hidden(error, secrets, call.signal);
    }
  }

  /** Actions on tabs: their address is checked, their page is not looked into. */
  async #onTabs(
    call: PageCall,
    given: JsonObject,
    time: Allowance,
    once: boolean,
    secrets: Set<string>,
  ): Promise<Done> {
    const { host } = this.#driver;
    const rules: GateRules = { sites: call.sites };
    switch (call.action) {
      case 'navigate': {
        const args = await this.#fill(call, given, secrets);
        return { output: await this.#navigate(call, args, time, once) };
      }
      case 'open_tab': {
        const args = await this.#fill(call, given, secrets);
        const url = await this.#openable(call, args.url);
        const { tab, found } = await this.#openTab(call, url, args.active !== false, time);
        return { output: { tab: tab.tab, url: found.url ?? url, title: found.title ?? '' } };
      }
      case 'switch_tab': {
        const tab = await host.resolve(call, String(given.tab), false, rules);
        const found = await host.look(call, tab.tab);
        host.change(call, { ...host.tabs(call), current: tab.tab });
        await host.bringForward(call, tab, found, true);
        return { output: { tab: tab.tab, url: found.url ?? tab.url, title: found.title ?? tab.title } };
      }
      case 'close_tab': {
        const tab = await host.resolve(call, typeof given.tab === 'string' ? given.tab : call.tab, true, rules);
        await host.close(call, tab);
        return { output: null };
      }
      default:
        return { output: { tabs: await this.#listTabs(call) } };
    }
  }

  /** Opens a tab, or takes the one that an earlier attempt opened, and has it load again if it came to nothing there. */
  async #openTab(
    call: PageCall,
    url: string,
    active: boolean,
    time: Allowance,
  ): Promise<{ tab: RunTab; found: BrowserTab }> {
    const { host } = this.#driver;
    const before = host.openedBefore(call);
    const tab = before ?? (await host.open(call, url, { current: active, active }));
    const acting: Acting = { call, tab, rules: { sites: call.sites }, time, read: false };
    if (!before) return { tab, found: await untilOpened(this.#driver, acting, url, 'load') };
    if (active) host.change(call, { ...host.tabs(call), current: tab.tab });
    try {
      return { tab, found: await untilOpened(this.#driver, acting, url, 'load') };
    } catch (error) {
      if (!TabloomError.is(error) || error.code !== 'navigation_failed' || time.over) throw error;
      return { tab, found: await goTo(this.#driver, acting, url, 'load') };
    }
  }

  async #navigate(call: PageCall, args: JsonObject, time: Allowance, once: boolean): Promise<Json> {
    const { host } = this.#driver;
    const rules: GateRules = { sites: call.sites };
    const url = await this.#openable(call, args.url);
    const waitFor = args.waitFor as unknown as WaitFor;
    const first = call.tab === undefined && host.tabs(call).current === undefined;
    let found: { url?: string; title?: string };
    let acted = false;
    try {
      if (first) {
        acted = true;
        const tab = await host.open(call, url, { current: true, active: true });
        found = await untilOpened(this.#driver, { call, tab, rules, time, read: false }, url, waitFor);
      } else {
        const tab = await host.resolve(call, call.tab, once, rules);
        acted = true;
        found = await goTo(this.#driver, { call, tab, rules, time, read: false }, url, waitFor);
        // To a place within the page that is there, the fields stay as they are.
        const within = tab.filled === 'here' && url.includes('#') && sameDocument(tab.url, url);
        if (!within) host.change(call, clearFilled(host.tabs(call), tab.tab));
      }
    } catch (error) {
      throw acted ? withActed(error) : error;
    }
    return { url: found.url ?? url, title: found.title ?? '' };
  }

  /** The address to open, checked. For an approved act either the page it starts from or the one it opens is what was approved. */
  async #openable(call: PageCall, url: Json | undefined): Promise<string> {
    const text = String(url);
    if (!URL.canParse(text))
      throw new TabloomError('input_invalid', `Correct the address "${text.slice(0, 100)}": it is none.`, {
        field: 'url',
      });
    const origin = await this.#driver.gate.check(text, { sites: call.sites });
    if (call.approvedOrigin !== undefined && call.approvedOrigin !== origin) {
      const from = call.tab ?? this.#driver.host.tabs(call).current;
      const found = from === undefined ? undefined : await this.#driver.host.look(call, from).catch(() => undefined);
      if (!found?.url || !URL.canParse(found.url) || new URL(found.url).origin !== call.approvedOrigin) {
        throw new TabloomError(
          'approval_mismatch',
          `Approve again: it was approved for ${call.approvedOrigin}, not for ${origin}.`,
          {
            details: { approved: call.approvedOrigin, origin },
          },
        );
      }
    }
    return new URL(text).href;
  }

  async #listTabs(call: PageCall): Promise<Json[]> {
    const { host } = this.#driver;
    const tabs = host.tabs(call);
    for (const tab of tabs.list) {
      if (!tab.closed && tab.session === host.session) await host.look(call, tab.tab).catch(() => undefined);
    }
    const now = host.tabs(call);
    return now.list
      .filter((tab) => !tab.closed)
      .map(({ tab, url, title }) => ({ tab, url, title, active: tab === now.current }));
  }

  /** Actions inside a page. */
  async #inPage(
    call: PageCall,
    given: JsonObject,
    time: Allowance,
    once: boolean,
    read: boolean,
    secrets: Set<string>,
  ): Promise<Done> {
    const { host } = this.#driver;
    const rules: GateRules = { sites: call.sites, approvedOrigin: call.approvedOrigin };
    const before = host.tabs(call);
    const lost = pickTab(before, call.tab).session !== host.session;
    const tab = await host.resolve(call, call.tab, once, rules);
    if (once) checkFilled(tab);
    const acting: Acting = { call, tab, rules, time, read };
    if (lost) await untilOpened(this.#driver, acting, tab.url, 'load');
    const wait = call.action === 'wait_for' ? given : undefined;
    // A page that is waited for may be another one by then: each look is checked by itself.
    if (wait?.url === undefined) await host.bringForward(call, tab, await checkedTab(this.#driver, acting), read);
    const args = await this.#fill(call, given, secrets);
    const token = `${call.idempotencyKey}#${call.attempt}`;
    switch (call.action) {
      case 'click': {
        const { scripts } = this.#driver;
        const mark = tab.filled && (await scripts.documentMark(tab.browserTabId, time));
        const { output, matched } = await clickElement(this.#driver, acting, args, token);
        const now = mark && (await scripts.documentMark(tab.browserTabId, time));
        if (now !== mark && now) host.change(call, clearFilled(host.tabs(call), tab.tab));
        return { output, meta: meta(matched) };
      }
      case 'wait_for': {
        const limit = args.timeout === undefined ? time : time.within(durationMs(args.timeout as string | number));
        return { output: { waitedMs: await waitUntil(this.#driver, { ...acting, time: limit }, args) } };
      }
      case 'extract': {
        if (args.as === 'table' || args.as === 'items') {
          const { output, matched } = await extractPages(this.#driver, acting, args);
          return { output, meta: meta(matched) };
        }
        const { value, matched } = await askPage(this.#driver, acting, 'extract', args);
        return { output: value, meta: meta(matched) };
      }
      default: {
        const op = call.action as 'snapshot' | 'fill' | 'select_option' | 'check';
        if (!read) host.change(call, markFilled(host.tabs(call), tab.tab));
        const sealed = op === 'fill' && call.secrets.length > 0;
        // The page remembers that this field holds a secret, and shows it to nobody.
        const sent = sealed ? { ...args, sealed } : args;
        const { value, matched } = await askPage(this.#driver, acting, op, sent, read ? undefined : token);
        await host.look(call, tab.tab).catch(() => undefined);
        return { output: sealed ? readBack(value, args) : value, meta: meta(matched) };
      }
    }
  }

  async #fill(call: PageCall, args: JsonObject, secrets: Set<string>): Promise<JsonObject> {
    const filled = await fillSecrets(args, call.secrets, this.#vault);
    for (const value of filled.values) secrets.add(value);
    return filled.args;
  }
}

/** Names of the secrets that a call itself puts in. */
function namesIn(call: PageCall): string[] {
  return call.secrets.flatMap(({ parts }) => parts.flatMap((part) => (typeof part === 'string' ? [] : [part.secret])));
}

/** A field may have formatted a secret, so that it would not be known again. */
function readBack(output: Json, args: JsonObject): Json {
  return isObject(output) && output.value !== args.value ? { ...output, value: MASK } : output;
}

function meta(matched: number | undefined): JsonObject | undefined {
  return matched === undefined ? undefined : { matched };
}

function withActed(error: unknown): unknown {
  if (!TabloomError.is(error)) return error;
  const { code, message, ...more } = error.info;
  return new TabloomError(code, message, { ...more, acted: true });
}

/** An error without secrets in it; what is not ours becomes `internal`, what follows a call-off `cancelled`. */
function hidden(error: unknown, secrets: Set<string>, signal: AbortSignal): TabloomError {
  if (TabloomError.is(error)) {
    const { code, message, ...more } = maskSecrets(
      error.info as unknown as JsonObject,
      secrets,
    ) as unknown as ErrorInfo;
    return new TabloomError(code, message, more);
  }
  if (signal.aborted) return new TabloomError('cancelled', 'The step was called off.');
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new TabloomError('internal', maskSecrets(`The browser refused the action: ${text}`, secrets));
}
