import { connectLink, type Link, type LinkAnswer, type LinkSocket, type NoLink } from '../../adapters/link/connect.ts';
import {
  BRIDGE_KEY,
  type BridgeSettings,
  type BridgeState,
  bridgeSettingsSchema,
} from '../../model/bridge-settings.ts';
import { TabloomError, toErrorInfo } from '../../model/errors.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { readCode } from '../../model/link.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { SecretVault, Store } from '../../ports/store.ts';

const KEY = 'bridge';
/** How long to wait before the hub is looked for again, milliseconds: doubled each time, with some chance in it. */
const RETRY_FIRST = 500;
const RETRY_MOST = 30_000;
const LABEL_MAX = 60;

export interface BridgeParts {
  store: Pick<Store, 'setting' | 'setSetting'>;
  vault: SecretVault;
  clock: Clock;
  random: Random;
  version: string;
  browser: 'chromium' | 'firefox';
  /** Absent: there is no link here. */
  link: { open(url: string): LinkSocket; nonce(): string; uuid(): string } | undefined;
  ports?: readonly number[];
  answer: LinkAnswer;
  gone(session: string): void;
  changed(): void;
  /** Whether the worker is to be woken now and then to look for the hub. */
  wakes(on: boolean): void;
}

/**
 * The extension's end of the link to the MCP bridge. Nothing is opened until a person has paired this profile; then the hub is looked for
 * as long as the worker lives, and at each of its starts.
 */
export class BridgeService {
  readonly #parts: BridgeParts;
  #settings: BridgeSettings | undefined;
  #link: Link | undefined;
  #looking = false;
  #wait = RETRY_FIRST;
  #cancelRetry: (() => void) | undefined;
  #told: string | undefined;
  readonly #clients = new Map<string, { name: string; version?: string; lastSeenAt: number }>();
  #stopped = false;

  constructor(parts: BridgeParts) {
    this.#parts = parts;
  }

  async load(): Promise<void> {
    const kept = bridgeSettingsSchema.safeParse(await this.#parts.store.setting(KEY));
    this.#settings = kept.success ? kept.data : undefined;
    const paired = this.#settings?.pairedAt !== undefined;
    this.#parts.wakes(paired);
    if (paired) this.look();
  }

  get state(): BridgeState {
    const { pairedAt } = this.#settings ?? {};
    return {
      label: this.#settings?.label ?? this.#defaultLabel,
      paired: pairedAt !== undefined,
      ...(pairedAt === undefined ? {} : { pairedAt }),
      linked: this.#link !== undefined,
      ...(this.#told === undefined || this.#link ? {} : { message: this.#told }),
      clients: [...this.#clients.values()].sort((a, b) => b.lastSeenAt - a.lastSeenAt),
    };
  }

  /** Looks for the hub at once, if there is a pairing and no link. */
  look(): void {
    if (!this.#parts.link || this.#stopped || this.#link || this.#looking || this.#settings?.pairedAt === undefined)
      return;
    this.#cancelRetry?.();
    this.#looking = true;
    this.#connect()
      .catch((error: unknown) => ({ reason: 'refused', message: toErrorInfo(error).message }) satisfies NoLink)
      .then((met) => {
        this.#looking = false;
        if (!met || this.#link) return;
        this.#told = sentenceFor(met);
        const wait = this.#wait * (0.5 + this.#parts.random.next());
        this.#wait = Math.min(this.#wait * 2, RETRY_MOST);
        this.#cancelRetry = this.#parts.clock.setTimer(wait, () => this.look());
        this.#parts.changed();
      });
  }

  /**
   * Pairs this profile with the hub whose code a person has carried over.
   * @throws TabloomError `bad_request` with a sentence for the person
   */
  async pair(typed: string, label: string): Promise<BridgeState> {
    const code = readCode(typed);
    if (code === undefined)
      throw new TabloomError('bad_request', 'Enter the twelve letters and digits that "tabloom mcp pair" shows.');
    const named = label.trim().slice(0, LABEL_MAX) || this.#defaultLabel;
    const settings: BridgeSettings = { instance: this.#settings?.instance ?? this.#uuid(), label: named };
    this.#cancelRetry?.();
    this.#link?.close();
    const met = await this.#open(settings, { code });
    if (!('port' in met)) {
      this.look();
      throw new TabloomError('bad_request', sentenceForPairing(met));
    }
    await this.#parts.vault.set(BRIDGE_KEY, met.key);
    this.#settings = { ...settings, pairedAt: this.#parts.clock.now() };
    await this.#parts.store.setSetting(KEY, this.#settings as unknown as JsonObject);
    this.#parts.wakes(true);
    this.#up(met);
    return this.state;
  }

  async unpair(): Promise<BridgeState> {
    const link = this.#link;
    this.#link = undefined;
    link?.unpair();
    await this.#forget();
    return this.state;
  }

  async rename(label: string): Promise<BridgeState> {
    const named = label.trim().slice(0, LABEL_MAX);
    if (named === '') throw new TabloomError('bad_request', 'Give this profile a name.');
    this.#settings = { ...(this.#settings ?? { instance: this.#uuid() }), label: named };
    await this.#parts.store.setSetting(KEY, this.#settings as unknown as JsonObject);
    // The hub learns it with the next hello.
    this.#link?.close();
    this.look();
    return this.state;
  }

  /** Tells clients of a change: resource addresses, or `tools`, `resources`. */
  tell(what: string[]): void {
    if (what.length > 0) this.#link?.changed(what);
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelRetry?.();
    this.#link?.close();
  }

  async #connect(): Promise<NoLink | undefined> {
    const settings = this.#settings as BridgeSettings;
    const key = await this.#parts.vault.reveal(BRIDGE_KEY);
    if (key === undefined) {
      await this.#forget();
      return { reason: 'unpaired' };
    }
    const met = await this.#open(settings, { key });
    if (!('port' in met)) return met;
    this.#up(met);
    return undefined;
  }

  #open(settings: BridgeSettings, proof: { key: string } | { code: string }): Promise<Link | NoLink> {
    const { clock, link, version, browser, ports, answer, gone } = this.#parts;
    if (!link) return Promise.resolve({ reason: 'no_hub' });
    const { open, nonce } = link;
    const { instance, label } = settings;
    return connectLink({
      open,
      clock,
      nonce,
      instance: { instance, label, browser, version },
      proof,
      ...(ports ? { ports } : {}),
      answer: (call) => {
        const { name, version: of } = call.caller;
        this.#clients.set(name, { name, ...(of ? { version: of } : {}), lastSeenAt: clock.now() });
        return answer(call);
      },
      gone,
      closed: (unpaired) => this.#down(unpaired),
      failure,
    });
  }

  #up(link: Link): void {
    if (this.#stopped) {
      link.close();
      return;
    }
    this.#link = link;
    this.#wait = RETRY_FIRST;
    this.#told = undefined;
    this.#parts.changed();
  }

  #down(unpaired: boolean): void {
    this.#link = undefined;
    if (unpaired) {
      void this.#forget().catch(() => undefined);
      return;
    }
    if (this.#stopped) return;
    this.#parts.changed();
    this.#cancelRetry?.();
    this.#cancelRetry = this.#parts.clock.setTimer(RETRY_FIRST * this.#parts.random.next(), () => this.look());
  }

  async #forget(): Promise<void> {
    const { instance, label } = this.#settings ?? {};
    if (instance && label) {
      this.#settings = { instance, label };
      await this.#parts.store.setSetting(KEY, this.#settings as unknown as JsonObject);
    }
    this.#parts.wakes(false);
    await this.#parts.vault.remove(BRIDGE_KEY);
    this.#told = undefined;
    this.#parts.changed();
  }

  #uuid(): string {
    if (!this.#parts.link) throw new TabloomError('bad_request', 'There is no bridge here.');
    return this.#parts.link.uuid();
  }

  get #defaultLabel(): string {
    return this.#parts.browser === 'firefox' ? 'Firefox' : 'Chrome';
  }
}

function sentenceFor({ reason, message }: NoLink): string {
  switch (reason) {
    case 'no_hub':
      return 'The bridge is not running: it starts with the first MCP client that has Tabloom in its configuration.';
    case 'unpaired':
      return 'Pair again: the bridge does not know this profile any more.';
    case 'not_ours':
      return 'A program on the bridge’s port could not prove that it is your bridge, and was told nothing.';
    case 'refused':
      return message ?? 'The bridge has refused the link.';
  }
}

function sentenceForPairing({ reason, message }: NoLink): string {
  switch (reason) {
    case 'no_hub':
      return 'Run "tabloom mcp pair" first, and leave it running: no bridge answers on this machine.';
    case 'not_ours':
      return 'Check the code: the bridge has shown another one.';
    default:
      return message ?? 'Ask for a new code with "tabloom mcp pair".';
  }
}

function failure(error: unknown): { code: string; message: string; details?: Json } {
  const { code, message, details } = toErrorInfo(error);
  return { code, message, ...(details === undefined ? {} : { details: details as Json }) };
}
