import { type BrowserAction, browserActions, parseArguments } from '../../actions/index.ts';
import { type ErrorInfo, TabloomError, toErrorInfo } from '../../model/errors.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import type { RunTabs } from '../../model/run.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PageCall, PagePort, PageResult } from '../../ports/pages.ts';
import type { SecretVault } from '../../ports/store.ts';
import type { Driver } from './acting.ts';
import { ActContext, type Done, type TabAct } from './acts/context.ts';
import { inPage } from './acts/in-page.ts';
import { PAGE_ACTS, TAB_ACTS } from './acts/index.ts';
import type { PageBrowser } from './browser-api.ts';
import { Dialogs } from './dialogs/dialogs.ts';
import { Gate } from './gate.ts';
import { Leases } from './leases.ts';
import { maskSecrets } from './masks.ts';
import { namedGrant } from './named-grant.ts';
import { PageScripts } from './page-scripts.ts';
import { Readings } from './readings.ts';
import { ReplacedTabs } from './replaced.ts';
import { RunSecrets } from './secrets.ts';
import { freeSilentTab } from './silence.ts';
import { TabGroups } from './tab-groups.ts';
import { TabHost } from './tab-host.ts';
import { Allowance } from './time.ts';

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
/** Acts that say themselves when they begin to act. */
/** Pages of the person's own browser, driven by a script in their isolated world. See {@link PagePort}. */
export class BrowserPages implements PagePort {
  readonly #driver: Driver;
  readonly #leases = new Leases();
  readonly #vault: SecretVault;
  readonly #secrets: RunSecrets;
  readonly #groups: TabGroups;
  readonly #replaced: ReplacedTabs;

  constructor(options: BrowserPagesOptions) {
    const { browser, clock } = options;
    const gate = new Gate(browser);
    const dialogs = new Dialogs(browser, clock, this.#leases);
    const host = new TabHost(browser, options.session, this.#leases, gate, dialogs, clock);
    const scripts = new PageScripts(browser, clock);
    this.#driver = { browser, clock, gate, host, dialogs, scripts, readings: new Readings(browser) };
    this.#vault = options.vault;
    this.#secrets = new RunSecrets(options.vault);
    this.#groups = new TabGroups(browser);
    this.#replaced = new ReplacedTabs(browser);
  }

  lease(runId: string, tabs: RunTabs, from?: string): void {
    this.#leases.takeAll(runId, tabs, this.#driver.host.session, from);
  }

  release(runId: string): void {
    const own = this.#driver.host.inOwnWindow(runId);
    void this.#groups.release(runId, (id) => own.has(id));
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

  /** The browser has put another tab in the place of one (`tabs.onReplaced`). */
  replaced(added: number, removed: number): Promise<void> {
    this.#driver.host.replaced(added, removed);
    return this.#replaced.note(added, removed);
  }

  async perform(asked: PageCall): Promise<PageResult> {
    const call = { ...asked, tabs: await this.#replaced.apply(asked.tabs, this.#driver.host.session) };
    const action = browserActions.get(call.action);
    if (!action)
      throw new TabloomError('input_invalid', `Use another action: there is no "${call.action}".`, { field: 'action' });
    const args = parseArguments(action, call.arguments);
    const time = new Allowance(
      this.#driver.clock,
      call.timeoutMs - Math.min(RESERVE_MOST, call.timeoutMs * RESERVE),
      call.signal,
    );
    if (action.effect === 'once' && looksFirst(action.name)) call.looking?.();
    const names = [...new Set([...(call.secretNames ?? []), ...namesIn(call)])];
    const secrets = await this.#secrets.values(call.runId, names);
    try {
      const done = await this.#carryOut(new ActContext(this.#driver, call, time, secrets, this.#vault), action, args);
      const result: PageResult = { output: done.output, tabs: this.#driver.host.tabs(call) };
      if (done.meta) result.meta = done.meta;
      if (done.artifact) result.artifact = done.artifact;
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
    } finally {
      const { list } = this.#driver.host.tabs(call);
      const open = list.filter((tab) => !tab.closed && tab.session === this.#driver.host.session);
      const ids = open.map((tab) => tab.browserTabId).filter((id) => this.#leases.owner(id) === call.runId);
      if (call.workflow !== undefined) void this.#groups.gather(call.runId, call.workflow, ids);
    }
  }

  #carryOut(context: ActContext, { name, effect }: BrowserAction, args: JsonObject): Promise<Done> {
    const act = PAGE_ACTS[name];
    if (!act) return (TAB_ACTS[name] as TabAct)(context, args);
    const use = {
      once: effect === 'once',
      read: effect === 'read',
      anyPage: name === 'wait_for' && args.url !== undefined,
    };
    return inPage(context, args, use, act);
  }
}

/** Acts that look for an element first, and have done nothing until then. */
function looksFirst(name: string): boolean {
  return Object.hasOwn(PAGE_ACTS, name) || name === 'upload_file' || name === 'download';
}

/** Names of the secrets that a call itself puts in. */
function namesIn(call: PageCall): string[] {
  return call.secrets.flatMap(({ parts }) => parts.flatMap((part) => (typeof part === 'string' ? [] : [part.secret])));
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
