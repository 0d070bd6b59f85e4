import { isObject, type JsonObject } from '../model/json.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';

const KEY = 'drafts';
/** Drafts kept at most; the one touched longest ago goes. */
const MOST = 50;

/** Texts that are being typed (comments, forms, sources), so that they outlive the popup. An empty one is no draft. */
export class Drafts {
  readonly #store: Store;
  readonly #clock: Pick<Clock, 'now'>;
  /** In order of last change. */
  #texts: Promise<Map<string, { text: string; at: number }>> | undefined;

  constructor(store: Store, clock: Pick<Clock, 'now'>) {
    this.#store = store;
    this.#clock = clock;
  }

  async get(key: string): Promise<string> {
    return (await this.#load()).get(key)?.text ?? '';
  }

  async set(key: string, text: string): Promise<void> {
    const texts = await this.#load();
    texts.delete(key);
    if (text !== '') texts.set(key, { text, at: this.#clock.now() });
    for (const oldest of texts.keys()) {
      if (texts.size <= MOST) break;
      texts.delete(oldest);
    }
    await this.#store.setSetting(KEY, Object.fromEntries(texts) as unknown as JsonObject);
  }

  #load(): Promise<Map<string, { text: string; at: number }>> {
    this.#texts ??= this.#read().catch((error: unknown) => {
      this.#texts = undefined;
      throw error;
    });
    return this.#texts;
  }

  async #read(): Promise<Map<string, { text: string; at: number }>> {
    const entries = Object.entries((await this.#store.setting(KEY)) ?? {}).flatMap(
      ([key, row]): [string, { text: string; at: number }][] =>
        isObject(row) && typeof row.text === 'string' && typeof row.at === 'number'
          ? [[key, { text: row.text, at: row.at }]]
          : [],
    );
    return new Map(entries.sort(([, a], [, b]) => a.at - b.at));
  }
}
