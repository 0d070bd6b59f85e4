import type { Target } from '../../describe.ts';
import { hoverOver } from '../act/events.ts';
import { type ScrollArgs, scrollOnce, stepUntil } from '../act/scroll.ts';
import { env } from '../env.ts';
import { pointOf } from '../find/actionable.ts';
import { findOne } from '../find/resolve.ts';
import type { PageOpRun } from './define.ts';
import { ready } from './ready.ts';

/** Requests that move the pointer or what is in view, and look and act in one go. */

export const hover: PageOpRun = async ({ target }, begin) => {
  const { element, matched } = await ready(target as Target, false);
  const point = pointOf(element);
  begin();
  hoverOver(point);
  await env().turn();
  return { value: null, matched };
};

export const scroll: PageOpRun = async (args, begin) => {
  const how = args as unknown as ScrollArgs;
  const { element, matched } = how.target ? findOne(how.target) : { element: undefined, matched: undefined };
  if (how.until) {
    // A list that draws only what is in view has to have drawn what the last step came to; on a busy machine that takes a while.
    await env().frame();
    await env().turn();
    stepUntil(element, how.until, begin);
  } else {
    begin();
    await scrollOnce(element, how);
  }
  return matched === undefined ? { value: null } : { value: null, matched };
};
