import { browserActions, parseArguments } from '../../actions/index.ts';
import { outcomeUnknown } from '../../engine/retry.ts';
import { durationMs } from '../../model/duration.ts';
import { type ErrorInfo, TabloomError, toErrorInfo } from '../../model/errors.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { FieldAct, RunTab, RunTabs } from '../../model/run.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PageCall, PagePort, PageResult } from '../../ports/pages.ts';
import type { SecretVault } from '../../ports/store.ts';
import type { Acting, Driver } from './acting.ts';
import { askPage, type PageAnswer } from './ask.ts';
import type { PageBrowser } from './browser-api.ts';
import { clickElement } from './click.ts';
import type { DialogAnswer } from './dialogs/channel.ts';
import { Dialogs } from './dialogs/dialogs.ts';
import { checkFilled, clearFilled, fieldsToRestore, markActed, markFilled, notePage, rememberField } from './filled.ts';
import { Gate, type GateRules } from './gate.ts';
import { Leases } from './leases.ts';
import { MASK, maskSecrets } from './masks.ts';
import { namedGrant } from './named-grant.ts';
import { checkedTab, goTo, sameDocument, untilOpened, type WaitFor } from './navigation.ts';
import { listTabs, openable, openTab } from './opening.ts';
import { PageScripts } from './page-scripts.ts';
import { extractPages } from './paging.ts';
import { Readings } from './readings.ts';
import { fieldAct, restorePage, secretUses, stillThere } from './restore.ts';
import { pickTab } from './run-tabs.ts';
import { fillSecrets, RunSecrets } from './secrets.ts';
import { freeSilentTab } from './silence.ts';
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
const RESERVE = 0.15;
const RESERVE_MOST = 1500;

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
    const dialogs = new Dialogs(browser, clock, this.#leases);
    const host = new TabHost(browser, options.session, this.#leases, gate, dialogs, clock);
    const scripts = new PageScripts(browser, clock);
    this.#driver = { browser, clock, gate, host, dialogs, scripts, readings: new Readings(browser) };
    this.#vault = options.vault;
    this.#secrets = new RunSecrets(options.vault);
  }

  lease(runId: string, tabs: RunTabs, from?: string): void {
    this.#leases.takeAll(runId, tabs, this.#driver.host.session, from);
  }

  release(runId: string): void {
    this.#leases.dropAll(runId);
    this.#driver.host.forget(runId);
    this.#secrets.forget(runId);
  }

  /** Brings what the browser keeps about driven tabs in line with the leases: after recovery, and when grants have changed. Never throws. */
  settle(): Promise<void> {
    return this.#driver.dialogs.sync();
  }

  /** What the script in a page says about a dialog. Data of the page. */
  heard(browserTabId: number, report: unknown): void {
    this.#driver.dialogs.heard(browserTabId, report);
  }

  async perform(call: PageCall): Promise<PageResult> {
    const action = browserActions.get(call.action);
    if (!action)
      throw new TabloomError('input_invalid', `Use another action: there is no "${call.action}".`, { field: 'action' });
    const args = parseArguments(action, call.arguments);
    const time = new Allowance(
      this.#driver.clock,
      call.timeoutMs - Math.min(RESERVE_MOST, call.timeoutMs * RESERVE),
      call.signal,
    );
    const once = action.effect === 'once';
    if (call.action === 'click') call.looking?.();
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
      throw withTabs(
        hidden(
          await namedGrant(this.#driver, call, await freeSilentTab(this.#driver, call, error)),
          secrets,
          call.signal,
        ),
        call.tabs,
        maskSecrets(this.#driver.host.tabs(call), secrets),
      );
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
        return this.#navigate(call, args, time, once);
      }
      case 'open_tab': {
        const args = await this.#fill(call, given, secrets);
        const url = await openable(this.#driver, call, args.url);
        const { tab, found } = await openTab(this.#driver, call, url, args.active !== false, time, answerOf(args));
        const output = { tab: tab.tab, url: found.url ?? url, title: found.title ?? '' };
        return this.#withDialogs(output, tab, time);
      }
      case 'switch_tab': {
        const tab = await host.resolve(call, String(given.tab), false, rules);
        const found = await host.look(call, tab.tab);
        host.change(call, { ...host.tabs(call), current: tab.tab });
        await host.bringForward(call, tab, found, true);
        return { output: { tab: tab.tab, url: found.url ?? tab.url, title: found.title ?? tab.title } };
      }
      case 'close_tab': {
        const id = typeof given.tab === 'string' ? given.tab : call.tab;
        const known = pickTab(host.tabs(call), id);
        // It is gone already: nothing is opened to be closed.
        if (call.restore && known.session !== host.session) host.forgo(call, known);
        else await host.close(call, await host.resolve(call, id, true, rules));
        return { output: null };
      }
      case 'handle_dialog': {
        const tab = await host.resolve(call, call.tab, once, rules);
        const acting: Acting = {
          call,
          tab,
          rules: { ...rules, approvedOrigin: call.approvedOrigin },
          time,
          read: false,
        };
        const origin = new URL((await checkedTab(this.#driver, acting)).url as string).origin;
        const args = await this.#fill(call, given, secrets);
        await this.#driver.dialogs.stand(
          tab.browserTabId,
          answerOf({ dialog: args }) as DialogAnswer,
          origin,
          time.signal,
        );
        return { output: null };
      }
      default:
        return { output: { tabs: await listTabs(this.#driver, call) } };
    }
  }

  async #navigate(call: PageCall, args: JsonObject, time: Allowance, once: boolean): Promise<Done> {
    const { host } = this.#driver;
    const rules: GateRules = { sites: call.sites };
    const url = await openable(this.#driver, call, args.url);
    const waitFor = args.waitFor as unknown as WaitFor;
    const answer = answerOf(args);
    const first = call.tab === undefined && host.tabs(call).current === undefined;
    let found: { url?: string; title?: string };
    let acted = false;
    let tab: RunTab;
    try {
      if (first) {
        acted = true;
        tab = await host.open(call, url, { current: true, active: true, answer });
        found = await untilOpened(this.#driver, { call, tab, rules, time, read: false, answer }, url, waitFor);
      } else {
        if (call.reopen) await host.forgive(call, call.tab);
        const lost = pickTab(host.tabs(call), call.tab).session !== host.session;
        tab = await host.resolve(call, call.tab, once, rules, url);
        acted = true;
        const acting = { call, tab, rules, time, read: false, answer };
        // A tab that was opened again is on its way there already.
        const reach = lost && tab.url === url ? untilOpened : goTo;
        found = await reach(this.#driver, acting, url, waitFor);
        // To a place within the page that is there, the fields stay as they are, and what they were for is not known any more.
        const within = tab.filled !== 'lost' && url.includes('#') && sameDocument(tab.url, url);
        const tabs = host.tabs(call);
        if (!within) await this.#note(call, clearFilled(tabs, tab.tab), tab, time);
        else if (tab.filled) host.change(call, markActed(tabs, tab.tab));
      }
    } catch (error) {
      throw acted ? withActed(error) : error;
    }
    return this.#withDialogs({ url: found.url ?? url, title: found.title ?? '' }, tab, time);
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
    if (call.reopen) await host.forgive(call, call.tab);
    const known = pickTab(host.tabs(call), call.tab);
    const lost = known.session !== host.session;
    const back = call.restore === true || call.reopen === true;
    const restore = once && back && (lost || known.filled === 'lost');
    const fields = restore ? fieldsToRestore(known) : [];
    const tab = await host.resolve(call, call.tab, once && !restore, rules);
    if (once && !restore) checkFilled(tab);
    const acting: Acting = { call, tab, rules, time, read };
    if (restore) await restorePage(this.#driver, acting, fields, (act) => this.#fillField(act, secrets));
    else if (lost || host.isOpening(tab)) await untilOpened(this.#driver, acting, tab.url, 'load');
    await this.#note(call, host.tabs(call), tab, time);
    const wait = call.action === 'wait_for' ? given : undefined;
    // A page that is waited for may be another one by then: each look is checked by itself.
    if (wait?.url === undefined) await host.bringForward(call, tab, await checkedTab(this.#driver, acting), read);
    const { dialog, ...args } = await this.#fill(call, given, secrets);
    acting.answer = answerOf({ dialog });
    const token = `${call.idempotencyKey}#${call.attempt}`;
    switch (call.action) {
      case 'click': {
        let clicked = true;
        try {
          const { output, matched } = await clickElement(this.#driver, acting, args, token);
          const done = await this.#withDialogs(output, tab, time, matched);
          return { ...done, output: { ...output, dialogs: [], ...(done.output as JsonObject) } };
        } catch (error) {
          clicked = !TabloomError.is(error) || outcomeUnknown(error.info);
          throw error;
        } finally {
          if (clicked) await this.#note(call, markActed(host.tabs(call), tab.tab), tab, time).catch(() => undefined);
        }
      }
      case 'wait_for': {
        const limit = args.timeout === undefined ? time : time.within(durationMs(args.timeout as string | number));
        const waitedMs = await waitUntil(this.#driver, { ...acting, time: limit }, args);
        return { output: { waitedMs }, meta: this.#meta(tab) };
      }
      case 'extract': {
        if (args.as === 'table' || args.as === 'items') {
          const { output, matched } = await extractPages(this.#driver, acting, args);
          return { output, meta: this.#meta(tab, matched) };
        }
        const { value, matched } = await askPage(this.#driver, acting, 'extract', args);
        return { output: value, meta: this.#meta(tab, matched) };
      }
      default: {
        const op = call.action as 'snapshot' | 'fill' | 'select_option' | 'check';
        if (!read) host.change(call, markFilled(host.tabs(call), tab.tab));
        const sealed = op === 'fill' && call.secrets.length > 0;
        // The page remembers that this field holds a secret, and shows it to nobody.
        const sent = sealed ? { ...args, sealed } : args;
        const answer = await askPage(this.#driver, acting, op, sent, read ? undefined : token);
        await host.look(call, tab.tab).catch(() => undefined);
        if (!read) await this.#remember(acting, fieldAct(op, given, call.secrets, answer.origin), answer);
        const { value, matched } = answer;
        const output = sealed ? readBack(value, args) : value;
        if (read) return { output, meta: this.#meta(tab, matched) };
        return this.#withDialogs(output as JsonObject, tab, time, matched);
      }
    }
  }

  /** The result of an act, with the dialogs that came since the last one: its own, and those that came late. */
  async #withDialogs(output: JsonObject, tab: RunTab, time: Allowance, matched?: number): Promise<Done> {
    const dialogs = await this.#driver.dialogs.collect(tab.browserTabId, time.signal);
    if (dialogs.length === 0) return { output, meta: meta(matched, []) };
    return { output: { ...output, dialogs }, meta: meta(matched, dialogs) };
  }

  /** What a read has to tell beside its output: dialogs too, which are none of its own. */
  #meta(tab: RunTab, matched?: number): JsonObject | undefined {
    return meta(matched, this.#driver.dialogs.known(tab.browserTabId));
  }

  /** Keeps in mind what was put into a field of the page that the tab has now. */
  async #remember(acting: Acting, act: FieldAct, answer: PageAnswer): Promise<void> {
    const { call, tab, time } = acting;
    const { host } = this.#driver;
    await this.#note(call, host.tabs(call), tab, time);
    let tabs = host.tabs(call);
    if (!tabs.list.some((one) => one.tab === tab.tab && one.filled)) {
      // Another document came: before the field was changed, or because of it.
      const there = await stillThere(this.#driver, acting, answer);
      if (there === false) return;
      tabs = markFilled(tabs, tab.tab);
      if (there === undefined) tabs = markActed(tabs, tab.tab);
    }
    host.change(call, rememberField(tabs, tab.tab, act));
  }

  async #fillField(act: FieldAct, secrets: Set<string>): Promise<JsonObject> {
    const uses = secretUses(act);
    const { args, values } = await fillSecrets(act.arguments, uses, this.#vault);
    for (const value of values) secrets.add(value);
    return act.action === 'fill' && uses.length > 0 ? { ...args, sealed: true } : args;
  }

  /** Notes which document the tab has, with what is to be kept of its tabs until then. */
  async #note(call: PageCall, tabs: RunTabs, tab: RunTab, time: Allowance): Promise<void> {
    const { host, scripts } = this.#driver;
    host.change(call, tabs);
    const page = await scripts.documentMark(tab.browserTabId, time);
    host.change(call, notePage(host.tabs(call), tab.tab, page));
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

function meta(matched: number | undefined, dialogs: JsonObject[]): JsonObject | undefined {
  const known: JsonObject = matched === undefined ? {} : { matched };
  if (dialogs.length > 0) known.dialogs = dialogs;
  return Object.keys(known).length > 0 ? known : undefined;
}

/** An act's answer to dialogs, out of arguments that were checked. */
function answerOf({ dialog }: { dialog?: Json }): DialogAnswer | undefined {
  if (!isObject(dialog)) return undefined;
  const { accept, text } = dialog;
  return { accept: accept === true, ...(typeof text === 'string' ? { text } : {}) };
}

function withActed(error: unknown): unknown {
  if (!TabloomError.is(error)) return error;
  const { code, message, ...more } = error.info;
  return new TabloomError(code, message, { ...more, acted: true });
}

/** What a failed action has learned of the tabs (one that the person closed, one that was opened again) is not forgotten with it. */
function withTabs(error: TabloomError, before: RunTabs, tabs: RunTabs): TabloomError {
  const { code, message, details, ...more } = error.info;
  if (JSON.stringify(before) === JSON.stringify(tabs) || (details !== undefined && !isObject(details))) return error;
  const attempt = { tabs: tabs as unknown as JsonObject };
  return new TabloomError(code, message, { ...more, details: { ...details, attempt } });
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
  const text = `The browser refused the action; try again (${toErrorInfo(error).message}).`;
  return new TabloomError('internal', maskSecrets(text, secrets));
}
