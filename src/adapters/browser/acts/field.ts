import { isObject, type Json, type JsonObject } from '../../../model/json.ts';
import type { FieldAct } from '../../../model/run.ts';
import type { SecretUse } from '../../../ports/pages.ts';
import type { Acting } from '../acting.ts';
import { askPage, type PageAnswer } from '../ask.ts';
import { markActed, markFilled, rememberField } from '../filled.ts';
import { MASK } from '../masks.ts';
import { fieldAct, stillThere } from '../restore.ts';
import type { ActContext, PageAct } from './context.ts';

/** Requests that set a field. */
export type FieldOp = 'fill' | 'select_option' | 'check';

/** One field to be set. */
export interface Setting {
  op: FieldOp;
  /** With secrets in place. */
  args: JsonObject;
  /** As the step gave them, secrets as placeholders; and where in them a secret goes. */
  given: JsonObject;
  secrets: readonly SecretUse[];
  token: string;
}

/** An act that sets a field, and is remembered, so that a page that was lost can be filled in again. */
export const setField =
  (op: FieldOp): PageAct =>
  async (context, acting, args, given) => {
    const { token, call } = context;
    const { value, matched } = await setOne(context, acting, { op, args, given, secrets: call.secrets, token });
    return context.withDialogs(value, acting.tab, matched);
  };

/** Sets a field, and remembers it. @returns what it now holds, by the request's own output */
export async function setOne(
  context: ActContext,
  acting: Acting,
  { op, args, given, secrets, token }: Setting,
): Promise<{ value: JsonObject; matched: number | undefined }> {
  const { driver, call } = context;
  const { host } = driver;
  const { tab } = acting;
  host.change(call, markFilled(host.tabs(call), tab.tab));
  const sealed = op === 'fill' && secrets.length > 0;
  // The page remembers that this field holds a secret, and shows it to nobody.
  const answer = await askPage(driver, acting, op, sealed ? { ...args, sealed } : args, token);
  await host.look(call, tab.tab).catch(() => undefined);
  await remember(context, acting, fieldAct(op, given, secrets, answer.origin), answer);
  const value = sealed ? readBack(context, answer.value, args) : answer.value;
  return { value: value as JsonObject, matched: answer.matched };
}

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

/** A field may have formatted a secret, so that it would not be known again; as it writes it the page may show it elsewhere too. */
function readBack({ secrets }: ActContext, output: Json, args: JsonObject): Json {
  if (!isObject(output) || output.value === args.value) return output;
  if (typeof output.value === 'string' && output.value !== '') secrets.add(output.value);
  return { ...output, value: MASK };
}
