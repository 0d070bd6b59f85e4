import { click } from './click.ts';
import type { PageAct, TabAct } from './context.ts';
import { download } from './download.ts';
import { setField } from './field.ts';
import { navigate } from './navigate.ts';
import { extract, snapshot, waitFor } from './read.ts';
import { screenshot } from './screenshot.ts';
import { closeTab, handleDialog, listTabs, openTab, switchTab } from './tabs.ts';
import { uploadFile } from './upload.ts';

/** How each action of the registry is carried out; those that only work in a page are in {@link PAGE_ACTS}. */
export const TAB_ACTS: Readonly<Record<string, TabAct>> = {
  navigate,
  open_tab: openTab,
  switch_tab: switchTab,
  close_tab: closeTab,
  list_tabs: listTabs,
  handle_dialog: handleDialog,
  upload_file: uploadFile,
  download,
};

export const PAGE_ACTS: Readonly<Record<string, PageAct>> = {
  snapshot,
  extract,
  screenshot,
  wait_for: waitFor,
  click,
  fill: setField('fill'),
  select_option: setField('select_option'),
  check: setField('check'),
};
