import { TabloomError } from '../../../model/errors.ts';
import { isObject, type Json, type JsonObject } from '../../../model/json.ts';
import type { Acting } from '../acting.ts';
import { askPage } from '../ask.ts';
import { groupByFrame } from '../frame-targets.ts';
import { MASK } from '../masks.ts';
import { actedOnce } from './click.ts';
import type { ActContext, Done, PageAct } from './context.ts';

/** Actions of the mouse and the keyboard beside the click. */

export const hover: PageAct = async (context, acting, args) => {
  const { matched } = await askPage(context.driver, acting, 'hover', args);
  return nothing(await context.withDialogs({}, acting.tab, matched));
};

export const scroll: PageAct = async (context, acting, args) => {
  const { until, target, ...rest } = args;
  const both: JsonObject = { ...rest };
  if (until !== undefined) {
    const frame = oneFrame('until', until, target);
    both.until = withoutFrame(until);
    // The page of a frame is what is scrolled there.
    if (target === undefined && frame !== undefined) both.target = { css: 'html', frame };
  }
  if (target !== undefined) both.target = target;
  const { matched } = await askPage(context.driver, acting, 'scroll', both);
  return nothing(await context.withDialogs({}, acting.tab, matched));
};

export const type: PageAct = async (context, acting, args) => {
  const sealed = context.call.secrets.length > 0;
  const sent = sealed ? { ...args, sealed } : args;
  const { value, matched } = await actedOnce(context, acting, 'type', sent);
  const held = isObject(value) ? (value.value ?? null) : null;
  // What the field held before, or how it writes it, may stand beside the secret.
  const output = { value: sealed && held !== null ? MASK : held };
  return context.withDialogs(output, acting.tab, matched);
};

export const pressKey: PageAct = async (context, acting, args) => {
  const target = args.target ?? (await focusedFrame(context, acting));
  const sent = args.target === undefined && target !== undefined ? { ...args, target, focused: true } : args;
  const { matched } = await actedOnce(context, acting, 'press_key', sent);
  return nothing(await context.withDialogs({}, acting.tab, matched));
};

export const drag: PageAct = async (context, acting, { from, to, ...rest }) => {
  oneFrame('to', to as Json, from);
  const sent = { ...rest, target: from as Json, to: withoutFrame(to as Json) };
  const { matched } = await actedOnce(context, acting, 'drag', sent);
  return nothing(await context.withDialogs({}, acting.tab, matched));
};

/** An action without an output has one where there were dialogs. */
function nothing(done: Done): Done {
  return isObject(done.output) && Object.keys(done.output).length === 0 ? { ...done, output: null } : done;
}

/** Most frames in frames that the focus is followed into. */
const DEEPEST = 5;

/** The frame in which the focus is, as a target of something in it; undefined for the page itself. */
async function focusedFrame({ driver }: ActContext, acting: Acting): Promise<JsonObject | undefined> {
  let target: JsonObject | undefined;
  for (let depth = 0; depth < DEEPEST; depth++) {
    const args: JsonObject = { for: 'press_key', focused: true, ...(target ? { target } : {}) };
    const { value } = await askPage(driver, acting, 'locate', args);
    const inner = isObject(value) ? value.inner : null;
    if (typeof inner !== 'string') break;
    const frame: JsonObject = { ref: inner };
    if (isObject(target?.frame)) frame.frame = target.frame;
    target = { css: 'html', frame };
  }
  return target;
}

/**
 * The frame that two targets of one action share.
 * @throws TabloomError `input_invalid` when they are of several
 */
function oneFrame(field: string, target: Json, other: Json | undefined): JsonObject | undefined {
  const groups = [...groupByFrame(target), ...(other === undefined ? [] : groupByFrame(other))];
  const frames = new Set(groups.map((group) => JSON.stringify(group.frames)));
  if (frames.size > 1) {
    throw new TabloomError('input_invalid', `Name both in one frame: "${field}" is of another than the rest.`, {
      field,
    });
  }
  const [first] = Array.isArray(target) ? target : [target];
  return isObject(first) && isObject(first.frame) ? first.frame : undefined;
}

function withoutFrame(target: Json): Json {
  const strip = (one: Json): Json => {
    if (!isObject(one)) return one;
    const { frame: _, ...rest } = one;
    return rest;
  };
  return Array.isArray(target) ? target.map(strip) : strip(target);
}
