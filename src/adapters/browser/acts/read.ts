import { durationMs } from '../../../model/duration.ts';
import type { JsonObject } from '../../../model/json.ts';
import { askPage } from '../ask.ts';
import { extractPages } from '../paging.ts';
import { snapshotOf } from '../snapshot.ts';
import { waitUntil } from '../wait.ts';
import type { PageAct } from './context.ts';

export const waitFor: PageAct = async (context, acting, args) => {
  const limit =
    args.timeout === undefined ? context.time : context.time.within(durationMs(args.timeout as string | number));
  const waitedMs = await waitUntil(context.driver, { ...acting, time: limit }, args);
  return { output: { waitedMs }, meta: context.readMeta(acting.tab) };
};

export const extract: PageAct = async (context, acting, args) => {
  if (args.as === 'table' || args.as === 'items') {
    const { output, matched } = await extractPages(context.driver, acting, args);
    return { output, meta: context.readMeta(acting.tab, matched) };
  }
  const { value, matched } = await askPage(context.driver, acting, 'extract', args);
  return { output: value, meta: context.readMeta(acting.tab, matched) };
};

export const snapshot: PageAct = async (context, acting, args) => {
  const { output, matched } = await snapshotOf(context.driver, acting, args);
  const { driver, call } = context;
  const known = driver.host.tabs(call).list.find((tab) => tab.tab === acting.tab.tab);
  const { url, title } = output as JsonObject;
  // Where the page has moved on since, the tab's address and title are taken anew.
  if (known?.url !== url || known?.title !== title) await driver.host.look(call, acting.tab.tab).catch(() => undefined);
  return { output, meta: context.readMeta(acting.tab, matched) };
};
