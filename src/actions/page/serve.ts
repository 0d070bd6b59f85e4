import { siteAllows } from '../../engine/values/sites.ts';
import type { PageReply, PageRequest, PageScript } from '../protocol.ts';
import { endHover, keepHover } from './act/hover-styles.ts';
import { env, PageError, poll } from './env.ts';
import type { Answer } from './ops/define.ts';
import { PAGE_OPS } from './ops/index.ts';
import { checkNobody, letPersonBe, watchPerson } from './person.ts';

/** One request on its way: whether it was called off, whether it has begun to change the page, whether it has made way for a person. */
interface Work {
  stopped: boolean;
  acted: boolean;
  yielded: boolean;
}

/** So many answers to acts are kept, to be given again. */
const MOST_REPLIES = 20;

/** Makes the page script of this document. */
export function createPageScript(): PageScript {
  const open = new Map<string, Work>();
  const replies = new Map<string, PageReply>();
  const keep = ({ token }: PageRequest, reply: PageReply): void => {
    if (token === undefined) return;
    replies.set(token, reply);
    const [oldest] = replies.keys();
    if (replies.size > MOST_REPLIES && oldest !== undefined) replies.delete(oldest);
  };
  return {
    documentKey: env().random().toString(36).slice(2),
    cancel(id) {
      const work = open.get(id);
      if (!work) return true;
      work.stopped = true;
      return !work.acted;
    },
    end() {
      endHover();
      letPersonBe();
    },
    async call(request) {
      if (request.origin !== self.origin)
        return refuse('site_not_allowed', `The page moved to ${self.origin} just now.`, true);
      const known = request.token === undefined ? undefined : replies.get(request.token);
      if (known) return known;
      const work: Work = { stopped: false, acted: false, yielded: false };
      // Pages that are only looked at for a wait are the person's own.
      if (request.op !== 'sight') watchPerson();
      keepHover();
      open.set(request.id, work);
      try {
        const answer = await perform(request, work);
        const reply: PageReply = { ok: true, ...answer, ...(work.yielded ? { yielded: true } : {}) };
        keep(request, reply);
        return reply;
      } catch (error) {
        const reply = failure(error, work);
        if (work.acted) keep(request, reply);
        return reply;
      } finally {
        open.delete(request.id);
        if (acting === work) acting = undefined;
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

/** What is being done to the page now: keys of one act must not go into the field of another. */
let acting: Work | undefined;

function checkFree(work: Work): void {
  if (!acting || acting === work) return;
  throw new PageError('element_not_actionable', 'Wait: another step of the run is acting in this page.', {
    wait: true,
    details: { reason: 'busy' },
  });
}

/** @throws PageError `site_not_allowed`, to be looked at again, where a page has taken itself to an address outside of the sites */
function checkAddress(sites: readonly string[] | undefined): void {
  // A document without an address of its own goes by its origin.
  const address = /^https?:/.test(location.href) ? location.href : `${self.origin}/`;
  if (!sites || siteAllows(sites, address)) return;
  throw new PageError('site_not_allowed', "The page went to an address outside of the workflow's sites just now.", {
    wait: true,
  });
}

function perform({ op, args, waitMs, sites }: PageRequest, work: Work): Promise<Answer> {
  // Whoever is at the page goes first. The element is looked for again after that.
  const makeWay = (): void => {
    try {
      checkNobody();
    } catch (error) {
      work.yielded = true;
      throw error;
    }
  };
  const begin = (): void => {
    if (work.stopped) throw new PageError('cancelled', 'The action was called off.');
    makeWay();
    checkFree(work);
    checkAddress(sites);
    acting = work;
    work.acted = true;
  };
  return poll(
    waitMs,
    () => work.stopped,
    async () => {
      checkAddress(sites);
      const answer = await PAGE_OPS[op](args, begin);
      if (op === 'locate') makeWay();
      return answer;
    },
  );
}
