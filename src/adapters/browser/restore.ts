import { clip } from '../../actions/page/text.ts';
import type { PageOp } from '../../actions/protocol.ts';
import { TabloomError } from '../../model/errors.ts';
import type { JsonObject } from '../../model/json.ts';
import type { FieldAct, RunTab } from '../../model/run.ts';
import type { SecretUse } from '../../ports/pages.ts';
import type { Acting, Driver } from './acting.ts';
import { askPage, makeRequest, type PageAnswer } from './ask.ts';
import { markRestored } from './filled.ts';
import { checkedTab, goTo, untilOpened } from './navigation.ts';

/** An act on a field as it is remembered, without the values of secrets. */
export function fieldAct(action: string, args: JsonObject, secrets: readonly SecretUse[], origin: string): FieldAct {
  if (secrets.length === 0) return { action, arguments: args, origin };
  const uses = secrets.map(({ pointer, parts }) => ({
    at: pointer,
    parts: parts.map((part) => (typeof part === 'string' ? part : { name: part.secret })),
  }));
  return { action, arguments: args, secrets: uses, origin };
}

/** Where an act on a field takes secrets, as {@link fieldAct} was told. */
export function secretUses(act: FieldAct): SecretUse[] {
  return (act.secrets ?? []).map(({ at, parts }) => ({
    pointer: at,
    parts: parts.map((part) => (typeof part === 'string' ? part : { secret: part.name })),
  }));
}

/** Whether the document that has answered is still the one in the tab. `undefined` for one of a frame, of which that is not known. */
export async function stillThere(
  driver: Driver,
  { time }: Acting,
  { place }: PageAnswer,
): Promise<boolean | undefined> {
  if (place.frameId !== 0) return undefined;
  const asked = await driver.scripts.ask(place, makeRequest('probe', {}, 0, ''), time);
  return !asked.gone;
}

/**
 * Brings the page of a tab that was opened again to where it was lost: at the address where it was filled in, with the same put into the
 * same fields, in the same order, each checked as always. Nothing that must not be done twice happens here.
 * @param reveal arguments of an act with its secrets in place, for that act alone
 * @throws TabloomError what kept it from being so, with `acted: false`; `tab_lost` when the page does not open at its address
 */
export async function restorePage(
  driver: Driver,
  acting: Acting,
  fields: readonly FieldAct[],
  reveal: (act: FieldAct) => Promise<JsonObject>,
): Promise<void> {
  try {
    await restore(driver, acting, fields, reveal);
  } catch (error) {
    if (!TabloomError.is(error)) throw error;
    const { code, message, ...more } = error.info;
    throw new TabloomError(code, message, { ...more, acted: false });
  }
}

async function restore(
  driver: Driver,
  acting: Acting,
  fields: readonly FieldAct[],
  reveal: (act: FieldAct) => Promise<JsonObject>,
): Promise<void> {
  const { call, tab, time, rules } = acting;
  const { host, scripts } = driver;
  const opened = await untilOpened(driver, acting, tab.url, 'load');
  if (!tab.filled) return;
  const at = tab.filledAt ?? tab.url;
  const found = opened.url === at ? opened : await goTo(driver, acting, at, 'load');
  if (found.url !== at) throw elsewhere(tab, at);
  await host.bringForward(call, tab, await checkedTab(driver, acting), false);
  const before = await scripts.documentMark(tab.browserTabId, time);
  for (const [index, act] of fields.entries()) {
    const args = await reveal(act);
    // What the approval binds is the act itself; a field is bound to the document that it was in.
    const setting: Acting = { ...acting, rules: { sites: rules.sites }, origin: act.origin };
    const token = `${call.idempotencyKey}#${call.attempt}#field${index}`;
    await askPage(driver, setting, act.action as PageOp, args, token).catch((error: unknown) => {
      throw during(error);
    });
  }
  const after = await scripts.documentMark(tab.browserTabId, time);
  if (before === undefined || after !== before) {
    throw new TabloomError('navigation_failed', 'Try again: the page changed while it was filled in again.');
  }
  await host.look(call, tab.tab);
  host.change(call, markRestored(host.tabs(call), tab.tab, after));
}

function elsewhere(tab: RunTab, at: string): TabloomError {
  return new TabloomError(
    'tab_lost',
    `Bring tab ${tab.tab} back to ${clip(at, 200)}, for example by signing in, and retry: another page opened in its place.`,
    { details: { tab: tab.tab, url: at, reason: 'elsewhere' } },
  );
}

function during(error: unknown): unknown {
  if (!TabloomError.is(error)) return error;
  const { code, message, ...more } = error.info;
  const text = message.replace(/\.$/, '');
  return new TabloomError(code, `${text} (while the page that was lost with the browser was filled in again).`, more);
}
