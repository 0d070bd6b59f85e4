import { click } from './click.ts';
import type { PageAct, TabAct } from './context.ts';
import { setField } from './field.ts';
import { drag, hover, pressKey, scroll, type } from './input.ts';
import { navigate } from './navigate.ts';
import { extract, snapshot, waitFor } from './read.ts';
import { closeTab, handleDialog, listTabs, openTab, switchTab } from './tabs.ts';

/** How each action of the registry is carried out; those that are `pageSide` there are in {@link PAGE_ACTS}. */
export const TAB_ACTS: Readonly<Record<string, TabAct>> = {
  navigate,
  open_tab: openTab,
  switch_tab: switchTab,
  close_tab: closeTab,
  list_tabs: listTabs,
  handle_dialog: handleDialog,
};

export const PAGE_ACTS: Readonly<Record<string, PageAct>> = {
  snapshot,
  extract,
  wait_for: waitFor,
  click,
  fill: setField('fill'),
  select_option: setField('select_option'),
  check: setField('check'),
  hover,
  scroll,
  type,
  press_key: pressKey,
  drag,
};
