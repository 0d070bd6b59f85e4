import { isObject, type Json, type JsonObject } from '../../../model/json.ts';
import type { FieldAct } from '../../../model/run.ts';
import type { Acting } from '../acting.ts';
import { askPage, type PageAnswer } from '../ask.ts';
import { markActed, markFilled, rememberField } from '../filled.ts';
import { MASK } from '../masks.ts';
import { fieldAct, stillThere } from '../restore.ts';
import type { ActContext, PageAct } from './context.ts';

/** An act that sets a field, and is remembered, so that a page that was lost can be filled in again. */
export const setField =
  (op: 'fill' | 'select_option' | 'check'): PageAct =>
  async (context, acting, args, given) => {
    const { driver, call } = context;
    const { host } = driver;
    const { tab } = acting;
    host.change(call, markFilled(host.tabs(call), tab.tab));
    const sealed = op === 'fill' && call.secrets.length > 0;
    // The page remembers that this field holds a secret, and shows it to nobody.
    const answer = await askPage(driver, acting, op, sealed ? { ...args, sealed } : args, context.token);
    await host.look(call, tab.tab).catch(() => undefined);
    await remember(context, acting, fieldAct(op, given, call.secrets, answer.origin), answer);
    const output = sealed ? readBack(answer.value, args) : answer.value;
    return context.withDialogs(output as JsonObject, tab, answer.matched);
  };

/** Keeps in mind what was put into a field of the page that the tab has now. */
async function remember(context: ActContext, acting: Acting, act: FieldAct, answer: PageAnswer): Promise<void> {
  const { driver, call } = context;
  const { tab } = acting;
  await context.note(driver.host.tabs(call), tab);
  let tabs = driver.host.tabs(call);
  if (!tabs.list.some((one) => one.tab === tab.tab && one.filled)) {
    // Another document came: before the field was changed, or because of it.
    const there = await stillThere(driver, acting, answer);
    if (there === false) return;
    tabs = markFilled(tabs, tab.tab);
    if (there === undefined) tabs = markActed(tabs, tab.tab);
  }
  driver.host.change(call, rememberField(tabs, tab.tab, act));
}

/** A field may have formatted a secret, so that it would not be known again. */
function readBack(output: Json, args: JsonObject): Json {
  return isObject(output) && output.value !== args.value ? { ...output, value: MASK } : output;
}
