import type { Driver, Spot } from './drivers.ts';

// Elements outlive episodes, and their marks with them.
let marks = 0;

/** One task to be solved: acts go through the driver, looks through its page. */
export class Episode {
  readonly act: Driver;
  /** What the task says, white space collapsed. */
  readonly query: string;

  constructor(act: Driver, query: string) {
    this.act = act;
    this.query = query;
  }

  /** Looks at the page. */
  look<T>(script: () => T): Promise<T>;
  look<T, A>(script: (given: A) => T, given: A): Promise<T>;
  look<T, A>(script: (given: A) => T, given?: A): Promise<T> {
    return this.act.page.evaluate(script as never, given as never) as Promise<T>;
  }

  /** Texts of all elements that a selector matches, hidden ones too, trimmed, white space collapsed. */
  texts(css: string): Promise<string[]> {
    return this.look(
      (selector) =>
        [...document.querySelectorAll(selector)].map((one) => (one.textContent ?? '').replace(/\s+/g, ' ').trim()),
      css,
    );
  }

  /** The first of the elements that a selector matches whose text fits, as a selector of its own. @throws Error where none does */
  async pick(css: string, fits: (text: string, index: number) => boolean): Promise<string> {
    const index = (await this.texts(css)).findIndex(fits);
    if (index < 0) throw new Error(`The page has no ${css} that fits.`);
    return this.mark(css, index);
  }

  /** Names one of the elements that a selector matches, hidden ones counted, by a mark that it gets. */
  async mark(css: string, index: number): Promise<string> {
    marks += 1;
    const mark = `m${marks}`;
    await this.look(
      ([selector, nth, name]) => {
        document.querySelectorAll(selector)[nth]?.setAttribute('data-bench', name);
      },
      [css, index, mark] as const,
    );
    return `[data-bench="${mark}"]`;
  }

  /** Clicks the first match with exactly that text. */
  async clickText(css: string, text: string): Promise<void> {
    await this.act.click(await this.pick(css, (one) => one === text));
  }

  /** Waits, looking, until something is so. @throws Error of Playwright when it does not become so in time */
  async until<A>(script: (given: A) => unknown, given: A): Promise<void> {
    await this.act.page.waitForFunction(script as never, given as never);
  }

  async pause(ms: number): Promise<void> {
    await this.act.page.waitForTimeout(ms);
  }

  /** What most tasks end with. */
  submit(spot: Spot = '#subbtn'): Promise<void> {
    return this.act.click(spot);
  }
}

/** Solves one task, once. */
export type Solver = (episode: Episode) => Promise<void>;
