import { z } from '../model/zod.ts';
import { defineAction } from './define.ts';
import { dialogSchema } from './target.ts';

const byId = z.strictObject({ tab: z.string().min(1).optional() });

export const openTab = defineAction({
  name: 'open_tab',
  effect: 'idempotent',
  summary: 'Opens another tab of the run, by default as its current one, and waits until the page is loaded.',
  args: z.strictObject({ url: z.string().min(1), active: z.boolean().default(true), dialog: dialogSchema }),
  output: '{tab, url, title}',
  pageSide: false,
  targets: [],
  title: (args) => `Open ${String(args.url)} in a new tab`,
});

export const switchTab = defineAction({
  name: 'switch_tab',
  effect: 'idempotent',
  summary: "Makes another of the run's tabs the current one.",
  args: z.strictObject({ tab: z.string().min(1) }),
  output: '{tab, url, title}',
  pageSide: false,
  targets: [],
  title: (args) => `Switch to tab ${String(args.tab)}`,
});

export const closeTab = defineAction({
  name: 'close_tab',
  effect: 'once',
  summary: "Closes one of the run's tabs, by default the current one.",
  args: byId,
  output: 'null',
  pageSide: false,
  targets: [],
  title: (args) => (args.tab === undefined ? 'Close the current tab' : `Close tab ${String(args.tab)}`),
});

export const listTabs = defineAction({
  name: 'list_tabs',
  effect: 'read',
  summary: "Lists the run's open tabs.",
  args: z.strictObject({}),
  output: '{tabs: [{tab, url, title, active}]}',
  pageSide: false,
  targets: [],
  title: () => 'List the open tabs',
});
