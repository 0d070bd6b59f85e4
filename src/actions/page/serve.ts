import type { Json, JsonObject } from '../../model/json.ts';
import type { Target } from '../describe.ts';
import type { PageReply, PageRequest, PageScript } from '../protocol.ts';
import { checkCheckable, checkedState, toggle } from './act/check.ts';
import { type Choice, chooseIn } from './act/choose.ts';
import { type Pointing, press } from './act/events.ts';
import { checkLength, fillElement, isFillable } from './act/fill.ts';
import { controlOf } from './dom.ts';
import { env, PageError, poll } from './env.ts';
import { type ExtractArgs, extractFrom } from './extract/read.ts';
import { checkEditable, checkStable, checkState, pointOf } from './find/actionable.ts';
import { describe, type Found, findOne } from './find/resolve.ts';
import { frameSpot, probeFrame } from './frames.ts';
import { seal } from './sealed.ts';
import { takeSight } from './sight.ts';
import { type SnapshotArgs, takeSnapshot } from './snapshot/index.ts';
import { checkWait, type WaitState } from './wait.ts';

interface Answer {
  value: Json;
  matched?: number;
}

/** One request on its way: whether it was called off, and whether it has begun to change the page. */
interface Work {
  stopped: boolean;
  acted: boolean;
}

/** Makes the page script of this document. */
export function createPageScript(): PageScript {
  const open = new Map<string, Work>();
  let last: { token: string; reply: PageReply } | undefined;
  return {
    documentKey: env().random().toString(36).slice(2),
    cancel(id) {
      const work = open.get(id);
      if (!work) return true;
      work.stopped = true;
      return !work.acted;
    },
    async call(request) {
      if (request.origin !== self.origin)
        return refuse('site_not_allowed', `The page moved to ${self.origin} just now.`, true);
      if (request.token !== undefined && request.token === last?.token) return last.reply;
      const work: Work = { stopped: false, acted: false };
      open.set(request.id, work);
      try {
        const answer = await perform(request, work);
        const reply: PageReply = { ok: true, ...answer };
        if (request.token !== undefined) last = { token: request.token, reply };
        return reply;
      } catch (error) {
        const reply = failure(error, work);
        if (work.acted && request.token !== undefined) last = { token: request.token, reply };
        return reply;
      } finally {
        open.delete(request.id);
      }
    },
  };
}

function refuse(code: string, message: string, wait: boolean): PageReply {
  return { ok: false, wait, error: { code, message } };
}

function failure(error: unknown, work: Work): PageReply {
  if (error instanceof PageError) {
    return {
      ok: false,
      wait: error.wait && !work.acted,
      error: work.acted ? { ...error.info, acted: true } : error.info,
    };
  }
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return {
    ok: false,
    wait: false,
    error: { code: 'internal', message: `The page script failed: ${text}`, acted: work.acted },
  };
}

function perform(request: PageRequest, work: Work): Promise<Answer> {
  const { args, waitMs } = request;
  const target = args.target as Target | undefined;
  const again = (attempt: () => Promise<Answer> | Answer): Promise<Answer> => poll(waitMs, () => work.stopped, attempt);
  /** To be called right before the page is changed: from here on nothing is called off or looked for again. */
  const begin = (): void => {
    if (work.stopped) throw new PageError('cancelled', 'The action was called off.');
    work.acted = true;
  };
  switch (request.op) {
    case 'probe':
      return Promise.resolve({ value: { ...probeFrame() } });
    case 'sight':
      return again(() => ({ value: takeSight(args as { selector?: string }) }));
    case 'frame':
      return again(() => {
        const { element, matched } = findOne(target as Target, { hidden: false });
        return { value: { ...frameSpot(element) }, matched };
      });
    case 'snapshot':
      return again(() => takeSnapshot(args as unknown as SnapshotArgs));
    case 'extract':
      return again(() => extractFrom(args as unknown as ExtractArgs));
    case 'wait':
      return again(() => ({
        value: checkWait(args as unknown as { target?: Target; state: WaitState; text?: string }),
      }));
    case 'locate':
      return again(async () => {
        const { element, matched } = await ready(target as Target, false);
        pointOf(element);
        return { value: { what: describe(element) }, matched };
      });
    case 'click':
      return again(() => {
        const { element, matched } = findOne(target as Target);
        checkState(element);
        const point = pointOf(element);
        begin();
        press(point, args as unknown as Pointing);
        return { value: null, matched };
      });
    case 'fill':
      return again(() => fill(target as Target, args, begin));
    case 'select_option':
      return again(async () => {
        const { element, matched } = await ready(target as Target, true);
        const values = chooseIn(element, args as Choice);
        work.acted = true;
        return { value: { values }, matched };
      });
    case 'check':
      return again(() => check(target as Target, args.checked !== false, begin));
  }
}

/** Finds the element and waits for a still moment of it. `control`: a label's text stands for the control that it names. */
async function ready(target: Target, control: boolean): Promise<Found> {
  const found = findOne(target);
  if (control) found.element = (isFillable(found.element) ? null : controlOf(found.element)) ?? found.element;
  checkState(found.element);
  await checkStable(found.element);
  return found;
}

async function fill(target: Target, args: JsonObject, begin: () => void): Promise<Answer> {
  const { element, matched } = await ready(target, true);
  if (!isFillable(element)) {
    throw new PageError('element_not_actionable', `Name a field: ${describe(element)} cannot be filled.`, {
      details: { reason: 'no field' },
    });
  }
  checkEditable(element);
  const value = args.value === null ? '' : String(args.value);
  checkLength(element, value);
  element.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  begin();
  seal(element, args.sealed === true);
  return { value: { value: await fillElement(element, value) }, matched };
}

async function check(target: Target, wanted: boolean, begin: () => void): Promise<Answer> {
  const { element, matched } = await ready(target, true);
  checkCheckable(element, wanted);
  if (checkedState(element) === wanted) return { value: { checked: wanted }, matched };
  const point = pointOf(element);
  begin();
  return { value: { checked: await toggle(element, wanted, point) }, matched };
}
