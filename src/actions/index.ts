import { check } from './check.ts';
import { click } from './click.ts';
import type { BrowserAction } from './define.ts';
import { download } from './download.ts';
import { drag } from './drag.ts';
import { extract } from './extract.ts';
import { fill } from './fill.ts';
import { fillForm } from './fill-form.ts';
import { goBack } from './go-back.ts';
import { handleDialog } from './handle-dialog.ts';
import { hover } from './hover.ts';
import { navigate } from './navigate.ts';
import { pressKey } from './press-key.ts';
import { readArticle } from './read-article.ts';
import { screenshot } from './screenshot.ts';
import { scroll } from './scroll.ts';
import { selectOption } from './select-option.ts';
import { snapshot } from './snapshot.ts';
import { closeTab, listTabs, openTab, switchTab } from './tabs.ts';
import { type } from './type.ts';
import { uploadFile } from './upload-file.ts';
import { waitFor } from './wait-for.ts';

/** All browser actions, in the order docs and tool lists show them. */
export const BROWSER_ACTIONS: readonly BrowserAction[] = [
  navigate,
  goBack,
  openTab,
  switchTab,
  closeTab,
  listTabs,
  snapshot,
  extract,
  screenshot,
  readArticle,
  waitFor,
  click,
  fill,
  fillForm,
  selectOption,
  check,
  hover,
  scroll,
  type,
  pressKey,
  drag,
  uploadFile,
  download,
  handleDialog,
];

/** Browser actions by name. */
export const browserActions: ReadonlyMap<string, BrowserAction> = new Map(
  BROWSER_ACTIONS.map((action) => [action.name, action]),
);

export { type BrowserAction, parseArguments } from './define.ts';
export { describeTarget, type Target, type TargetDefinition } from './describe.ts';
export { targetSchema } from './target.ts';
