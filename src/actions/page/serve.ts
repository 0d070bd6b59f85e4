import type { PageReply, PageRequest, PageScript } from '../protocol.ts';
import { env, PageError, poll } from './env.ts';
import type { Answer } from './ops/define.ts';
import { PAGE_OPS } from './ops/index.ts';
import { checkNobody, watchPerson } from './person.ts';

/** One request on its way: whether it was called off, whether it has begun to change the page, whether it has made way for a person. */
interface Work {
  stopped: boolean;
  acted: boolean;
  yielded: boolean;
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
      const work: Work = { stopped: false, acted: false, yielded: false };
      // Pages that are only looked at for a wait are the person's own.
      if (request.op !== 'sight') watchPerson();
      open.set(request.id, work);
      try {
        const answer = await perform(request, work);
        const reply: PageReply = { ok: true, ...answer, ...(work.yielded ? { yielded: true } : {}) };
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

function perform({ op, args, waitMs }: PageRequest, work: Work): Promise<Answer> {
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
    work.acted = true;
  };
  return poll(
    waitMs,
    () => work.stopped,
    async () => {
      const answer = await PAGE_OPS[op](args, begin);
      if (op === 'locate') makeWay();
      return answer;
    },
  );
}
