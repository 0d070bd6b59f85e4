import type { Json, JsonObject } from '../../model/json.ts';
import type { PageBrowser } from './browser-api.ts';

/** A reading over several pages, as far as it has come; written down before each turn to the next page, and at its end. */
export interface Reading {
  /** Address of the page that it began on. */
  from: string;
  /** What the first page gave beside its rows or items. */
  head: JsonObject;
  rows: Json[];
  /** The rows of the last page that was read, as JSON. */
  seen: string;
  pages: number;
  matched?: number;
  /** It has come to its end. Whether the run has got it is not known here. */
  done?: boolean;
}

const KEY = 'tabloom.readings';
/** So many readings are kept, and so many characters of them: the browser gives 10 MB. The oldest ones go. */
const MOST = 20;
const MOST_CHARACTERS = 4_000_000;

/**
 * Readings that are under way, under the idempotency key of their step. A page that was turned stays turned when an attempt fails or the
 * worker dies: the next attempt has to go on from there, since what came before is not on the page any more. Kept where it outlives the
 * worker and ends with the browser, as the pages do.
 */
export class Readings {
  readonly #session: PageBrowser['storage']['session'];
  #known: Promise<Map<string, Reading>> | undefined;

  constructor({ storage }: Pick<PageBrowser, 'storage'>) {
    this.#session = storage.session;
  }

  async find(key: string): Promise<Reading | undefined> {
    return (await this.#load()).get(key);
  }

  async keep(key: string, reading: Reading): Promise<void> {
    const known = await this.#load();
    known.delete(key);
    known.set(key, reading);
    const size = (one: Reading): number => JSON.stringify(one).length;
    let characters = [...known.values()].reduce((sum, one) => sum + size(one), 0);
    for (const [name, oldest] of known) {
      if (name === key || (known.size <= MOST && characters <= MOST_CHARACTERS)) break;
      known.delete(name);
      characters -= size(oldest);
    }
    await this.#session.set({ [KEY]: [...known] });
  }

  #load(): Promise<Map<string, Reading>> {
    this.#known ??= this.#session.get(KEY).then(
      (kept) => new Map((kept[KEY] ?? []) as [string, Reading][]),
      (error: unknown) => {
        this.#known = undefined;
        throw error;
      },
    );
    return this.#known;
  }
}
