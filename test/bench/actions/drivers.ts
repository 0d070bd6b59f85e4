import type { Locator, Page, Worker } from '@playwright/test';
import type { JsonObject } from '../../../src/model/json.ts';
import { Run } from '../../support/pages/run.ts';
import type { BenchBrowser } from './browser.ts';
import type { DriverName } from './results.ts';

/** What an act is about: a CSS selector, of its visible matches the only one or the `nth` (from 0). */
export type Spot = string | { css: string; nth: number };

export interface Clicking {
  count?: number;
  button?: 'left' | 'right';
}

/** How a page is acted upon. Solvers are written against this, and know nothing of who does it. */
export interface Driver {
  readonly name: DriverName;
  /** For looking only. */
  readonly page: Page;
  /** Opens an address and waits until it has loaded. */
  goto(url: string): Promise<void>;
  click(spot: Spot, how?: Clicking): Promise<void>;
  /** Replaces the value of a field. */
  fill(spot: Spot, value: string): Promise<void>;
  /** Types key by key at the end of a field. */
  type(spot: Spot, text: string): Promise<void>;
  /** Presses a key, with modifiers as in `Control+a`, in an element or where the focus is. */
  press(key: string, spot?: Spot): Promise<void>;
  select(spot: Spot, choice: { label: string } | { values: string[] }): Promise<void>;
  check(spot: Spot, checked?: boolean): Promise<void>;
  hover(spot: Spot): Promise<void>;
  scroll(spot: Spot, to: 'top' | 'bottom'): Promise<void>;
  /** Drags the middle of one element to the middle of another. */
  drag(from: Spot, to: Spot): Promise<void>;
  close(): Promise<void>;
}

/** The longest that one act may take, milliseconds. */
const PATIENCE = 6000;

/** A driver with a tab of its own. */
export async function openDriver(name: DriverName, browser: BenchBrowser, origin: string): Promise<Driver> {
  return name === 'playwright'
    ? new InputDriver(await browser.context.newPage())
    : openTabloom(browser.context.pages.bind(browser.context), browser.worker, origin);
}

/** The browser's own input events, by way of Playwright. */
class InputDriver implements Driver {
  readonly name = 'playwright';
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
    page.setDefaultTimeout(PATIENCE);
  }

  async goto(url: string): Promise<void> {
    await this.page.goto(url, { timeout: 30_000 });
  }

  #at(spot: Spot): Locator {
    if (typeof spot === 'string') return this.page.locator(spot).filter({ visible: true });
    return this.page.locator(spot.css).filter({ visible: true }).nth(spot.nth);
  }

  async click(spot: Spot, { count = 1, button = 'left' }: Clicking = {}): Promise<void> {
    await this.#at(spot).click({ clickCount: count, button });
  }

  async fill(spot: Spot, value: string): Promise<void> {
    await this.#at(spot).fill(value);
  }

  async type(spot: Spot, text: string): Promise<void> {
    await this.#at(spot).pressSequentially(text);
  }

  async press(key: string, spot?: Spot): Promise<void> {
    if (spot) await this.#at(spot).press(key);
    else await this.page.keyboard.press(key);
  }

  async select(spot: Spot, choice: { label: string } | { values: string[] }): Promise<void> {
    await this.#at(spot).selectOption('label' in choice ? { label: choice.label } : choice.values);
  }

  async check(spot: Spot, checked = true): Promise<void> {
    await this.#at(spot).setChecked(checked);
  }

  async hover(spot: Spot): Promise<void> {
    await this.#at(spot).hover();
  }

  async scroll(spot: Spot, to: 'top' | 'bottom'): Promise<void> {
    await this.#at(spot).hover();
    await this.page.mouse.wheel(0, to === 'top' ? -100_000 : 100_000);
    // The wheel's effect comes with a later frame, and says nothing when it is there.
    let before = Number.NaN;
    for (;;) {
      await this.page.waitForTimeout(100);
      const now = await this.#at(spot).evaluate((element) => element.scrollTop);
      if (now === before) return;
      before = now;
    }
  }

  async drag(from: Spot, to: Spot): Promise<void> {
    const middle = async (spot: Spot): Promise<[number, number]> => {
      const box = await this.#at(spot).boundingBox();
      if (!box) throw new Error('nothing to drag from or to');
      return [box.x + box.width / 2, box.y + box.height / 2];
    };
    await this.#at(from).scrollIntoViewIfNeeded();
    await this.page.mouse.move(...(await middle(from)));
    await this.page.mouse.down();
    await this.page.mouse.move(...(await middle(to)), { steps: 10 });
    await this.page.mouse.up();
  }

  async close(): Promise<void> {
    await this.page.close();
  }
}

let runs = 0;

async function openTabloom(pages: () => Page[], worker: Worker, origin: string): Promise<Driver> {
  runs += 1;
  const run = new Run(worker, origin, `bench${runs}`);
  const before = new Set(pages());
  await run.do('open_tab', { url: `${origin}/empty` });
  const page = pages().find((one) => !before.has(one));
  if (!page) throw new Error('The tab that was opened is not to be seen.');
  return new TabloomDriver(run, page);
}

/** Tabloom's page actions, in the extension that the tests of the browser adapter use too. */
class TabloomDriver implements Driver {
  readonly name = 'tabloom';
  readonly page: Page;
  readonly #run: Run;

  constructor(run: Run, page: Page) {
    this.#run = run;
    this.page = page;
    page.setDefaultTimeout(PATIENCE);
  }

  async #do(action: string, args: JsonObject): Promise<void> {
    await this.#run.do(action, args, { timeoutMs: PATIENCE });
  }

  async goto(url: string): Promise<void> {
    await this.#run.do('navigate', { url }, { timeoutMs: 30_000 });
  }

  async click(spot: Spot, how: Clicking = {}): Promise<void> {
    await this.#do('click', { target: target(spot), ...how });
  }

  async fill(spot: Spot, value: string): Promise<void> {
    await this.#do('fill', { target: target(spot), value });
  }

  async type(spot: Spot, text: string): Promise<void> {
    await this.#do('type', { target: target(spot), text });
  }

  async press(key: string, spot?: Spot): Promise<void> {
    await this.#do('press_key', spot ? { key, target: target(spot) } : { key });
  }

  async select(spot: Spot, choice: { label: string } | { values: string[] }): Promise<void> {
    await this.#do('select_option', { target: target(spot), ...choice });
  }

  async check(spot: Spot, checked = true): Promise<void> {
    await this.#do('check', { target: target(spot), checked });
  }

  async hover(spot: Spot): Promise<void> {
    await this.#do('hover', { target: target(spot) });
  }

  async scroll(spot: Spot, to: 'top' | 'bottom'): Promise<void> {
    await this.#do('scroll', { target: target(spot), to });
  }

  async drag(from: Spot, to: Spot): Promise<void> {
    await this.#do('drag', { from: target(from), to: target(to) });
  }

  async close(): Promise<void> {
    await this.page.close();
  }
}

function target(spot: Spot): JsonObject {
  return typeof spot === 'string' ? { css: spot } : { css: spot.css, nth: spot.nth };
}
