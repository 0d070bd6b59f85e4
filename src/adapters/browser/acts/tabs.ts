import type { Acting } from '../acting.ts';
import type { DialogAnswer } from '../dialogs/channel.ts';
import { checkedTab } from '../navigation.ts';
import { openable, openTab as openTabAt, listTabs as openTabsOf, titleFor } from '../opening.ts';
import { untilLeftAlone, untilViewIsLeft } from '../person.ts';
import { pickTab } from '../run-tabs.ts';
import { answerOf, type TabAct } from './context.ts';

export const openTab: TabAct = async (context, given) => {
  const { driver, call, time } = context;
  const args = await context.fill(given);
  const url = await openable(driver, call, args.url);
  if (args.active !== false) await untilViewIsLeft(driver, call.runId, context);
  const { tab, found } = await openTabAt(driver, call, url, args.active !== false, time, answerOf(args));
  return context.withDialogs({ tab: tab.tab, url: found.url ?? url, title: found.title ?? '' }, tab);
};

export const switchTab: TabAct = async (context, given) => {
  const { driver, call } = context;
  const { host } = driver;
  const tab = await host.resolve(call, String(given.tab), false, { sites: call.sites });
  const found = await host.look(call, tab.tab);
  host.change(call, { ...host.tabs(call), current: tab.tab });
  if (found.active === false) await untilViewIsLeft(driver, call.runId, context);
  await host.bringForward(call, tab, found, true);
  const url = found.url ?? tab.url;
  return { output: { tab: tab.tab, url, title: titleFor(call, url, found.title ?? tab.title) } };
};

export const closeTab: TabAct = async (context, given) => {
  const { driver, call } = context;
  const { host } = driver;
  const id = typeof given.tab === 'string' ? given.tab : call.tab;
  const known = pickTab(host.tabs(call), id);
  // It is gone already: nothing is opened to be closed.
  if (call.restore && known.session !== host.session) host.forgo(call, known);
  else {
    const tab = await host.resolve(call, id, true, { sites: call.sites });
    await untilLeftAlone(driver, context, tab.browserTabId);
    await host.close(call, tab);
  }
  return { output: null };
};

export const listTabs: TabAct = async ({ driver, call }) => ({ output: { tabs: await openTabsOf(driver, call) } });

export const handleDialog: TabAct = async (context, given) => {
  const { driver, call, time } = context;
  const rules = { sites: call.sites };
  const tab = await driver.host.resolve(call, call.tab, true, rules);
  const acting: Acting = { call, tab, rules: { ...rules, approvedOrigin: call.approvedOrigin }, time, read: false };
  const origin = new URL((await checkedTab(driver, acting)).url as string).origin;
  const args = await context.fill(given);
  await driver.dialogs.stand(tab.browserTabId, answerOf({ dialog: args }) as DialogAnswer, origin, time.signal);
  return { output: null };
};
