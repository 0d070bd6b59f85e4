import { isObject, type Json, type JsonObject } from '../../../model/json.ts';
import type { FieldAct, RunTab, RunTabs } from '../../../model/run.ts';
import type { PageCall, PageResult } from '../../../ports/pages.ts';
import type { SecretVault } from '../../../ports/store.ts';
import type { Acting, Driver, Noticed } from '../acting.ts';
import type { DialogAnswer } from '../dialogs/channel.ts';
import { notePage } from '../filled.ts';
import { secretUses } from '../restore.ts';
import { fillSecrets } from '../secrets.ts';
import type { Allowance } from '../time.ts';

/** What an action gives: its output, what the step panel shows beside it, bytes to keep. */
export interface Done {
  output: Json;
  meta?: JsonObject;
  artifact?: PageResult['artifact'];
}

/** One action on its way: what was asked, the time it has, and what all actions do alike. */
export class ActContext {
  readonly driver: Driver;
  readonly call: PageCall;
  readonly time: Allowance;
  /** Values of secrets, to be masked in whatever is told; grows as they are put in. */
  readonly secrets: Set<string>;
  readonly noticed: Noticed = { yielded: false };
  /** A tab came of it, so that a window which looked as if it were not opened was. */
  opened = false;
  /** Where a tab was to be opened that did not come. */
  blocked: string | undefined;
  readonly #vault: SecretVault;
  #dialogs: JsonObject[] | undefined;

  constructor(driver: Driver, call: PageCall, time: Allowance, secrets: Set<string>, vault: SecretVault) {
    this.driver = driver;
    this.call = call;
    this.time = time;
    this.secrets = secrets;
    this.#vault = vault;
  }

  /** Names this attempt to the page, which then does an act once. */
  get token(): string {
    return `${this.call.idempotencyKey}#${this.call.attempt}`;
  }

  /** Arguments with the secrets in place. @throws TabloomError `secret_missing` */
  async fill(args: JsonObject): Promise<JsonObject> {
    const filled = await fillSecrets(args, this.call.secrets, this.#vault);
    for (const value of filled.values) this.secrets.add(value);
    return filled.args;
  }

  /** Arguments of a remembered act on a field, with the secrets in place. */
  async fillField(act: FieldAct): Promise<JsonObject> {
    const uses = secretUses(act);
    const { args, values } = await fillSecrets(act.arguments, uses, this.#vault);
    for (const value of values) this.secrets.add(value);
    return act.action === 'fill' && uses.length > 0 ? { ...args, sealed: true } : args;
  }

  /** Notes which document the tab has, with what is to be kept of its tabs until then. @param mark of it, where it is known */
  async note(tabs: RunTabs, tab: RunTab, mark?: string): Promise<void> {
    const { host, scripts } = this.driver;
    host.change(this.call, tabs);
    const page = mark ?? (await scripts.documentMark(tab.browserTabId, this.time));
    host.change(this.call, notePage(host.tabs(this.call), tab.tab, page));
  }

  /** Asks the page for the dialogs that came since the last act, for {@link withDialogs}, where there is something else to wait for. */
  async hearDialogs(tab: RunTab): Promise<void> {
    this.#dialogs = await this.driver.dialogs.collect(tab.browserTabId, this.time.signal);
  }

  /** The result of an act, with the dialogs that came since the last one: its own, and those that came late. */
  async withDialogs(output: JsonObject, tab: RunTab, matched?: number): Promise<Done> {
    if (!this.#dialogs) await this.hearDialogs(tab);
    const told = this.#dialogs ?? [];
    const dialogs = this.opened ? told.filter(({ type }) => type !== 'window') : [...told];
    if (this.blocked !== undefined) dialogs.push({ type: 'window', message: this.blocked, accepted: false });
    if (dialogs.length === 0) return { output, meta: this.#meta(matched, []) };
    return { output: { ...output, dialogs }, meta: this.#meta(matched, dialogs) };
  }

  /** What a read has to tell beside its output: dialogs too, which are none of its own. */
  readMeta(tab: RunTab, matched?: number): JsonObject | undefined {
    return this.#meta(matched, this.driver.dialogs.known(tab.browserTabId));
  }

  #meta(matched: number | undefined, dialogs: JsonObject[]): JsonObject | undefined {
    const known: JsonObject = matched === undefined ? {} : { matched };
    if (dialogs.length > 0) known.dialogs = dialogs;
    if (this.noticed.yielded) known.yielded = true;
    return Object.keys(known).length > 0 ? known : undefined;
  }
}

/** An action on tabs: their address is checked, their page is not looked into. */
export type TabAct = (context: ActContext, given: JsonObject) => Promise<Done>;

/**
 * An action inside a page, in a tab that was found, leased, checked and brought forward.
 * @param args with secrets in place, without `dialog`
 * @param given as the call has them
 */
export type PageAct = (context: ActContext, acting: Acting, args: JsonObject, given: JsonObject) => Promise<Done>;

/** An act's answer to dialogs, out of arguments that were checked. */
export function answerOf({ dialog }: { dialog?: Json }): DialogAnswer | undefined {
  if (!isObject(dialog)) return undefined;
  const { accept, text } = dialog;
  return { accept: accept === true, ...(typeof text === 'string' ? { text } : {}) };
}
