import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from '@playwright/test';
import type { BenchBrowser } from './browser.ts';
import { type Driver, openDriver } from './drivers.ts';
import { note, type Outcome, type Running } from './results.ts';

/** What is tried in each application, in this order; each check goes on from where the one before it came to. */
export const CHECKS = ['add', 'toggle', 'edit', 'filter', 'clear', 'destroy'] as const;
type Check = (typeof CHECKS)[number];

const NEW = '.new-todo, #new-todo, .new-todo-input';
const LABEL = '.view label:not([for=toggle-all]), .todo-item-text';
const TOGGLE = '.view .toggle, .toggle-todo-input';
const EDIT = 'li .edit, .listItem .edit, .edit-todo-input';
const DESTROY = '.view .destroy, .remove-todo-button';
const FILTER = '.filters a, #filters a, .filter-link';
const CLEAR = '.clear-completed, #clear-completed, .clear-completed-button';

/** Where a build puts what can be opened, the likelier first. */
const PLACES = ['dist/browser', 'dist', 'web', 'www', 'public', 'todomvc', '.'];

export interface Apps {
  /** Addresses by name, relative to the checkout. */
  found: Record<string, string>;
  /** What the checkout has no page of that could be opened, and why. */
  leftOut: Record<string, string>;
}

/** The applications in a checkout. */
export function findApps(folder: string): Apps {
  const apps: Apps = { found: {}, leftOut: {} };
  for (const name of readdirSync(join(folder, 'examples')).sort()) {
    const place = PLACES.find((one) => existsSync(join(folder, 'examples', name, one, 'index.html')));
    if (!place) apps.leftOut[name] = 'the checkout holds its sources only';
    else if (/http-equiv="refresh"/.test(readFileSync(join(folder, 'examples', name, place, 'index.html'), 'utf8')))
      apps.leftOut[name] = 'its page only leads elsewhere';
    else apps.found[name] = join('examples', name, place, '/');
  }
  return apps;
}

/**
 * Runs the checks in applications with the drivers named, one after the other.
 * @param origin where the checkout is served, under `/todomvc/`; `apps` are addresses relative to it, by name
 */
export async function runTodomvc(
  browser: BenchBrowser,
  origin: string,
  { apps, by, results, say, inTime }: Running & { apps: Record<string, string> },
): Promise<void> {
  for (const [app, path] of Object.entries(apps)) {
    if (!inTime()) break;
    for (const name of by) {
      const began = performance.now();
      const driver = await openDriver(name, browser, origin);
      const outcomes = await runApp(driver, `${origin}/todomvc/${path}`);
      await driver.close();
      for (const check of CHECKS) note(results, 'TodoMVC', app, check, name, outcomes[check]);
      const passed = CHECKS.filter((check) => outcomes[check].passed).length;
      const why = CHECKS.flatMap((check) => (outcomes[check].note ? [`${check}: ${outcomes[check].note}`] : []))[0];
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      say(`${name} ${app}: ${passed}/${CHECKS.length}, ${seconds} s${why ? ` (${why})` : ''}`);
    }
  }
}

async function runApp(driver: Driver, url: string): Promise<Record<Check, Outcome>> {
  const outcomes = {} as Record<Check, Outcome>;
  let lost: string | undefined;
  try {
    // What another driver has left there would be shown.
    await driver.page.addInitScript(() => {
      if (!sessionStorage.getItem('bench')) localStorage.clear();
      sessionStorage.setItem('bench', '1');
    });
    await driver.goto(url);
    await driver.page.locator(NEW).first().waitFor();
    // The field may be there before the scripts that listen to it.
    await driver.page.waitForLoadState('networkidle').catch(() => undefined);
  } catch (error) {
    lost = short(error);
  }
  for (const check of CHECKS) {
    if (lost !== undefined) {
      outcomes[check] = { passed: false, note: lost };
      continue;
    }
    try {
      await STEPS[check](driver);
      outcomes[check] = { passed: true };
    } catch (error) {
      if (driver.page.isClosed()) throw error;
      outcomes[check] = { passed: false, note: short(error) };
      if (check === 'add') lost = 'nothing was added';
    }
  }
  return outcomes;
}

const visible = (driver: Driver, css: string): Locator => driver.page.locator(css).filter({ visible: true });

async function labels(driver: Driver): Promise<string[]> {
  return (await visible(driver, LABEL).allTextContents()).map((text) => text.trim());
}

/** Waits until the list shows these, in any order: some applications put the newest first. */
async function shows(driver: Driver, ...wanted: string[]): Promise<void> {
  await until(async () => {
    const now = (await labels(driver)).sort();
    return now.join() === wanted.sort().join() ? undefined : `the list is ${now.join(', ') || 'empty'}`;
  });
}

/** Looks until there is no complaint. @throws Error the last complaint */
async function until(complaint: () => Promise<string | undefined>): Promise<void> {
  const end = Date.now() + 2500;
  for (;;) {
    const now = await complaint();
    if (now === undefined) return;
    if (Date.now() > end) throw new Error(now);
    await new Promise((next) => setTimeout(next, 50));
  }
}

/** Index of an item among those that are shown. */
async function indexOf(driver: Driver, label: string): Promise<number> {
  const index = (await labels(driver)).indexOf(label);
  if (index < 0) throw new Error(`there is no ${label}`);
  return index;
}

async function filter(driver: Driver, name: string): Promise<void> {
  const nth = (await visible(driver, FILTER).allTextContents()).findIndex((text) => text.trim() === name);
  if (nth < 0) throw new Error(`there is no filter ${name}`);
  await driver.click({ css: FILTER, nth });
}

const STEPS: Record<Check, (driver: Driver) => Promise<void>> = {
  async add(driver) {
    for (const text of ['bread', 'milk', 'salt']) {
      await driver.type(NEW, text);
      await driver.press('Enter', NEW);
    }
    await shows(driver, 'bread', 'milk', 'salt');
  },
  async toggle(driver) {
    const nth = await indexOf(driver, 'milk');
    await driver.click({ css: TOGGLE, nth });
    await until(async () => {
      const on = await Promise.all((await visible(driver, TOGGLE).all()).map((box) => box.isChecked()));
      return on.every((one, index) => one === (index === nth)) ? undefined : `the boxes are ${on.join(', ')}`;
    });
  },
  async edit(driver) {
    await driver.click({ css: LABEL, nth: await indexOf(driver, 'bread') }, { count: 2 });
    await driver.fill(EDIT, 'butter');
    await driver.press('Enter', EDIT);
    await shows(driver, 'butter', 'milk', 'salt');
  },
  async filter(driver) {
    const rest = (await labels(driver)).filter((label) => label !== 'milk');
    await filter(driver, 'Active');
    await shows(driver, ...rest);
    await filter(driver, 'Completed');
    await shows(driver, 'milk');
    await filter(driver, 'All');
    await shows(driver, ...rest, 'milk');
  },
  async clear(driver) {
    const rest = (await labels(driver)).filter((label) => label !== 'milk');
    await driver.click(CLEAR);
    await shows(driver, ...rest);
  },
  async destroy(driver) {
    const rest = (await labels(driver)).filter((label) => label !== 'salt');
    const index = await indexOf(driver, 'salt');
    await driver.hover({ css: LABEL, nth: index });
    // Most show the button only where the pointer is.
    const shown = await visible(driver, DESTROY).count();
    await driver.click({ css: DESTROY, nth: shown > 1 ? index : 0 });
    await shows(driver, ...rest);
  },
};

function short(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}
