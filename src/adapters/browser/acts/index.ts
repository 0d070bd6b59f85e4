import { readArticle } from './article.ts';
import { click } from './click.ts';
import type { PageAct, TabAct } from './context.ts';
import { download } from './download.ts';
import { setField } from './field.ts';
import { fillForm } from './fill-form.ts';
import { goBack } from './go-back.ts';
import { drag, hover, pressKey, scroll, type } from './input.ts';
import { navigate } from './navigate.ts';
import { extract, snapshot, waitFor } from './read.ts';
import { screenshot } from './screenshot.ts';
import { closeTab, handleDialog, listTabs, openTab, switchTab } from './tabs.ts';
import { uploadFile } from './upload.ts';

/** How each action of the registry is carried out; those that only work in a page are in {@link PAGE_ACTS}. */
export const TAB_ACTS: Readonly<Record<string, TabAct>> = {
  navigate,
  go_back: goBack,
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
  read_article: readArticle,
  wait_for: waitFor,
  click,
  fill: setField('fill'),
  fill_form: fillForm,
  select_option: setField('select_option'),
  check: setField('check'),
  hover,
  scroll,
  type,
  press_key: pressKey,
  drag,
};
