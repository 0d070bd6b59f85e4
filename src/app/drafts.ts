import { redactJson, redactText } from '../engine/secrets/index.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';

const KEY = 'drafts';
/** Drafts kept at most; the one touched longest ago goes. */
const MOST = 50;
/** A draft that nobody has changed for so long is forgotten, milliseconds. */
const LIFE = 7 * 86_400_000;

interface Draft {
  text: string;
  at: number;
  /** The page that has written it. */
  writer?: string;
}

/**
 * Texts that are being typed (comments, edits, sources), so that they outlive the popup. An empty one is no draft. Nobody has looked over
 * them yet, so what looks like a secret is not kept: `[redacted:<kind>]` stands in its place.
 */
export class Drafts {
  readonly #store: Store;
  readonly #clock: Pick<Clock, 'now'>;
  /** In order of last change. */
  #texts: Promise<Map<string, Draft>> | undefined;

  constructor(store: Store, clock: Pick<Clock, 'now'>) {
    this.#store = store;
    this.#clock = clock;
  }

  async get(key: string): Promise<string> {
    const draft = (await this.#load()).get(key);
    return draft && this.#fresh(draft) ? draft.text : '';
  }

  /**
   * Keeps a text in place of the one before. One that another page has written, and that this one has not seen, is not overwritten.
   * @param writing.base what was stored when the page last looked @param writing.writer the page
   * @returns that other text, when nothing was kept
   */
  async set(key: string, text: string, writing: { base?: string; writer?: string } = {}): Promise<string | undefined> {
    const texts = await this.#load();
    const { base, writer } = writing;
    const there = texts.get(key);
    const clean = withoutSecrets(text);
    const foreign = writer !== undefined && there !== undefined && this.#fresh(there) && there.writer !== writer;
    if (foreign && there.text !== base && there.text !== clean) return there.text;
    texts.delete(key);
    if (text !== '') texts.set(key, { text: clean, at: this.#clock.now(), ...(writer !== undefined && { writer }) });
    this.#drop(texts);
    await this.#save(texts);
    return undefined;
  }

  /** Removes the drafts whose time is over from the store too. */
  async forgetOld(): Promise<void> {
    const texts = await this.#load();
    if (this.#drop(texts)) await this.#save(texts);
  }

  #fresh({ at }: { at: number }): boolean {
    return this.#clock.now() - at < LIFE;
  }

  /** @returns whether any was dropped */
  #drop(texts: Map<string, Draft>): boolean {
    const before = texts.size;
    for (const [key, draft] of texts) if (!this.#fresh(draft) || texts.size > MOST) texts.delete(key);
    return texts.size < before;
  }

  async #save(texts: Map<string, Draft>): Promise<void> {
    await this.#store.setSetting(KEY, Object.fromEntries(texts) as unknown as JsonObject);
  }

  #load(): Promise<Map<string, Draft>> {
    this.#texts ??= this.#read().catch((error: unknown) => {
      this.#texts = undefined;
      throw error;
    });
    return this.#texts;
  }

  async #read(): Promise<Map<string, Draft>> {
    const entries = Object.entries((await this.#store.setting(KEY)) ?? {}).flatMap(([key, row]): [string, Draft][] =>
      isObject(row) && typeof row.text === 'string' && typeof row.at === 'number'
        ? [[key, { text: row.text, at: row.at, ...(typeof row.writer === 'string' && { writer: row.writer }) }]]
        : [],
    );
    return new Map(entries.sort(([, a], [, b]) => a.at - b.at));
  }
}

/** Forms and edits are kept as JSON, where a member's name says that a value is a secret and where the marks must not break the text. */
function withoutSecrets(text: string): string {
  if (!/^\s*[{[]/.test(text)) return redactText(text);
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return redactText(text);
  }
  const clean = redactJson(value);
  return clean === value ? text : JSON.stringify(clean);
}
