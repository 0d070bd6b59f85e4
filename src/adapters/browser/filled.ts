import { canonicalJson } from '../../model/canonical.ts';
import { TabloomError } from '../../model/errors.ts';
import type { Json } from '../../model/json.ts';
import type { FieldAct, RunTab, RunTabs } from '../../model/run.ts';
import { CLOSED_MARK } from './page-scripts.ts';
import { isMasked } from './run-tabs.ts';

/**
 * What a run has put into the fields of a page is part of what a later click sends. It goes with the browser: the tab is opened again with
 * the fields as the site gives them. So a tab remembers what its page was filled in with. A form that lost what was in it is not sent, and
 * an attempt that has met `tab_lost` before fills it in again first. What a *once* act has done to the page cannot be done again.
 */

/** Most that is remembered of one page: acts, and characters of JSON. */
const MOST_ACTS = 100;
const MOST_CHARACTERS = 32_000;

/** Before a field is changed. What was lost before stays lost. */
export function markFilled(tabs: RunTabs, id: string): RunTabs {
  return change(tabs, id, (tab) => (tab.filled ? tab : { ...tab, filled: 'here', fields: [] }));
}

/** After a field was changed, at the address that the tab now has. */
export function rememberField(tabs: RunTabs, id: string, act: FieldAct): RunTabs {
  return change(tabs, id, (tab) => {
    if (tab.unrestorable) return tab;
    // One place of one page; what was set before it moved on within itself may have been for another form.
    if (tab.filledAt !== undefined && tab.filledAt !== tab.url) return spoil(tab, 'acted');
    const before = tab.fields ?? [];
    const last = before.at(-1);
    // The same again (a further attempt, or a step that was cut off before its result was stored) changes nothing.
    if (last && canonicalJson(last as unknown as Json) === canonicalJson(act as unknown as Json)) return tab;
    const fields = [...before, act];
    if (fields.length > MOST_ACTS || canonicalJson(fields as unknown as Json).length > MOST_CHARACTERS)
      return spoil(tab, 'too_much');
    return { ...tab, fields, filledAt: tab.filledAt ?? tab.url };
  });
}

/** Something was done on the page that filling it in again would not bring back. */
export function markActed(tabs: RunTabs, id: string): RunTabs {
  return change(tabs, id, (tab) => spoil(tab, 'acted'));
}

/** The tab's page is another one. */
export function clearFilled(tabs: RunTabs, id: string): RunTabs {
  return change(tabs, id, ({ filled: _, fields: __, filledAt: ___, unrestorable: ____, page: _____, ...tab }) => tab);
}

/** Which document is in the tab now: with another one, what was filled in has gone where the site wanted it. */
export function notePage(tabs: RunTabs, id: string, page: string | undefined): RunTabs {
  const known = tabs.list.find((tab) => tab.tab === id);
  if (page === undefined || page === CLOSED_MARK || !known || known.page === page) return tabs;
  const cleared = known.page === undefined || known.filled === 'lost' ? tabs : clearFilled(tabs, id);
  return change(cleared, id, (tab) => ({ ...tab, page }));
}

/** The tab was opened again. Where nothing was filled in, its page is as good as any that is opened. */
export function loseFilled(tabs: RunTabs, id: string): RunTabs {
  const here = tabs.list.find((tab) => tab.tab === id);
  if (!here?.filled) return clearFilled(tabs, id);
  return change(tabs, id, ({ page: _, ...tab }) => ({
    ...(movedOn(tab) ? spoil(tab, 'acted') : tab),
    filled: 'lost' as const,
  }));
}

/** All that was filled in is there again. */
export function markRestored(tabs: RunTabs, id: string, page: string | undefined): RunTabs {
  return change(tabs, id, (tab) => ({ ...tab, filled: 'here', ...(page === undefined ? {} : { page }) }));
}

/** Before an act that must not be done twice. @throws TabloomError `tab_lost` */
export function checkFilled(tab: RunTab): void {
  if (tab.filled === 'lost') throw lostError(tab);
}

/**
 * What must be filled in again, in order.
 * @throws TabloomError `tab_lost` when that would not bring the page back
 */
export function fieldsToRestore(tab: RunTab): FieldAct[] {
  const reason = whyNot(tab);
  if (reason !== undefined) throw lostError(tab);
  return tab.fields ?? [];
}

/** A tab that was lost with the browser, or what was filled in there: how to go on. */
export function lostError(tab: RunTab): TabloomError {
  const reason = whyNot(tab);
  const details = { tab: tab.tab, url: tab.url, reason: reason ?? (tab.filled ? 'fields_lost' : 'tab') };
  if (reason !== undefined) {
    return new TabloomError(
      'tab_lost',
      `Run again from the step that opens the page: tab ${tab.tab} was lost with the browser, and ${WHY_NOT[reason]}.`,
      { details },
    );
  }
  const again = tab.filled ? 'opened and filled in again' : 'opened again';
  return new TabloomError(
    'tab_lost',
    `Retry, so that the page is ${again} before this step: tab ${tab.tab} was lost with the browser.`,
    { details },
  );
}

type Reason = 'acted' | 'too_much' | 'masked' | 'unknown';

const WHY_NOT: Record<Reason, string> = {
  acted: 'what was done there since then cannot be brought back by filling it in again',
  too_much: 'too much was filled in there to be filled in again',
  masked: 'what was filled in there was kept without the secret in it',
  unknown: 'what was filled in there is not known any more',
};

function whyNot(tab: RunTab): Reason | undefined {
  if (tab.unrestorable) return tab.unrestorable;
  if (!tab.filled) return undefined;
  if (!tab.fields) return 'unknown';
  if (movedOn(tab)) return 'acted';
  return isMasked(JSON.stringify([tab.fields, tab.filledAt])) ? 'masked' : undefined;
}

/** The page has moved on within itself since it was filled in. */
function movedOn(tab: RunTab): boolean {
  return tab.filled === 'here' && tab.filledAt !== undefined && tab.filledAt !== tab.url;
}

function spoil({ fields: _, ...tab }: RunTab, why: 'acted' | 'too_much'): RunTab {
  return { ...tab, unrestorable: tab.unrestorable ?? why };
}

function change(tabs: RunTabs, id: string, to: (tab: RunTab) => RunTab): RunTabs {
  return { ...tabs, list: tabs.list.map((tab) => (tab.tab === id ? to(tab) : tab)) };
}
