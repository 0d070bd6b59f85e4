import { KnowledgeBase } from '../../engine/knowledge/base.ts';
import { durationMs } from '../../model/duration.ts';
import { TabloomError } from '../../model/errors.ts';
import { httpErrorCode } from '../../model/http-status.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { KnowledgeHit } from '../../model/knowledge.ts';
import type { Usage } from '../../model/run.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KnowledgePort } from '../../ports/knowledge.ts';
import type { ModelPort, ModelReply } from '../../ports/model.ts';
import type { PagePort } from '../../ports/pages.ts';
import type { Store } from '../../ports/store.ts';

interface Call {
  path: string;
  signal: AbortSignal;
}

/**
 * Stands in for everything outside: replies come from the case's mocks, by full path or step id, in order, the last one again and again
 * (SPEC §10). A call without a mock is a failure of the case.
 */
export class Mocks {
  /** Outside calls so far, by step id and by full path. */
  readonly calls = new Map<string, number>();
  /** Calls that had no mock. */
  readonly missing: string[] = [];
  private readonly used = new Map<string, number>();
  private readonly mocks: Record<string, JsonObject[]>;
  private readonly clock: Clock;

  constructor(mocks: Record<string, JsonObject[]>, clock: Clock) {
    this.mocks = mocks;
    this.clock = clock;
  }

  readonly model: ModelPort = {
    generate: async (request) => {
      const mock = await this.answer({ path: request.call.path, signal: request.signal });
      let text: string;
      if (typeof mock.raw === 'string') text = mock.raw;
      else if (mock.object !== undefined) text = JSON.stringify(mock.object);
      else if (typeof mock.text === 'string') text = mock.text;
      else text = JSON.stringify(mock.output ?? {});
      const usage = (isObject(mock.usage) ? mock.usage : { inputTokens: 0, outputTokens: 0 }) as unknown as Usage;
      return { text, usage, model: 'mock:mock', finish: 'stop' } satisfies ModelReply;
    },
    configured: async () => true,
    price: () => undefined,
  };

  readonly pages: PagePort = {
    perform: async (call) => {
      const mock = await this.answer(call);
      return { output: mock.output ?? {}, tabs: call.tabs };
    },
    lease: () => {},
    release: () => {},
  };

  /** The case's own knowledge base; a search that has a mock is answered by that. */
  knowledge(store: Store): KnowledgePort {
    const base = new KnowledgeBase(store);
    return {
      search: async (query) => {
        const { signal, call } = query;
        if (!this.mocked(call.path)) return base.search(query);
        const { output } = await this.answer({ path: call.path, signal });
        return (isObject(output) && Array.isArray(output.hits) ? output.hits : []) as unknown as KnowledgeHit[];
      },
      document: (documentId, revision) => base.document(documentId, revision),
      named: (name) => base.named(name),
    };
  }

  private mocked(path: string): boolean {
    return [path, path.slice(path.lastIndexOf('/') + 1)].some((key) => Object.hasOwn(this.mocks, key));
  }

  private async answer({ path, signal }: Call): Promise<JsonObject> {
    const id = path.slice(path.lastIndexOf('/') + 1);
    for (const key of new Set([id, path])) this.calls.set(key, (this.calls.get(key) ?? 0) + 1);
    const key = Object.hasOwn(this.mocks, path) ? path : id;
    const list = Object.hasOwn(this.mocks, key) ? this.mocks[key] : undefined;
    const used = this.used.get(key) ?? 0;
    this.used.set(key, used + 1);
    const mock = list?.[Math.min(used, list.length - 1)];
    if (!mock) {
      this.missing.push(path);
      throw new TabloomError('internal', `Step ${path} called outside, but the case has no mock for it.`);
    }
    const error = isObject(mock.error) ? mock.error : undefined;
    const delay = mock.delay ?? error?.delay;
    // A call takes at least one tick of virtual time zero, so that a script can see its step at work.
    await this.sleep(
      mock.hang === true ? undefined : delay === undefined ? 0 : durationMs(delay as string | number),
      signal,
    );
    if (error) throw errorOf(error, path, mock.usage);
    return mock;
  }

  private sleep(ms: number | undefined, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = ms === undefined ? undefined : this.clock.setTimer(ms, resolve);
      signal.addEventListener('abort', () => {
        stop?.();
        reject(new TabloomError('cancelled', 'The call was given up.'));
      });
    });
  }
}

function errorOf(error: JsonObject, path: string, usage: Json | undefined): TabloomError {
  const status = typeof error.status === 'number' ? error.status : undefined;
  const code = typeof error.code === 'string' ? error.code : status === undefined ? 'internal' : httpErrorCode(status);
  return new TabloomError(code, typeof error.message === 'string' ? error.message : `mocked ${status ?? code}`, {
    step: path,
    retryAfterMs: typeof error.retryAfter === 'number' ? error.retryAfter * 1000 : undefined,
    acted: typeof error.acted === 'boolean' ? error.acted : undefined,
    details: usage === undefined ? undefined : { attempt: { usage } },
  });
}
