import { TabloomError } from '../../model/errors.ts';
import type { RunTab, RunTabs } from '../../model/run.ts';

/**
 * What a run has put into the fields of a page is part of what a later click sends. It goes with the browser: the tab is opened again with
 * the fields as the site gives them. So a tab remembers that its page was filled in, and a form that lost what was in it is not sent.
 */

/** Before a field is changed. What was lost before stays lost. */
export function markFilled(tabs: RunTabs, id: string): RunTabs {
  return change(tabs, id, (tab) => ({ ...tab, filled: tab.filled ?? 'here' }));
}

/** The tab's page is another one. */
export function clearFilled(tabs: RunTabs, id: string): RunTabs {
  return change(tabs, id, ({ filled: _, ...tab }) => tab);
}

/** The tab was opened again. */
export function loseFilled(tabs: RunTabs, id: string): RunTabs {
  return change(tabs, id, (tab) => (tab.filled ? { ...tab, filled: 'lost' } : tab));
}

/** Before an act that must not be done twice. @throws TabloomError `tab_lost` */
export function checkFilled(tab: RunTab): void {
  if (tab.filled !== 'lost') return;
  throw new TabloomError(
    'tab_lost',
    `Open the page again and fill it in before this step: what was filled in on tab ${tab.tab} was lost with the browser.`,
    { details: { tab: tab.tab, url: tab.url, reason: 'fields_lost' } },
  );
}

function change(tabs: RunTabs, id: string, to: (tab: RunTab) => RunTab): RunTabs {
  return { ...tabs, list: tabs.list.map((tab) => (tab.tab === id ? to(tab) : tab)) };
}
