import { type FrameProbe, PAGE_GLOBAL, type PageOp, type PageReply, type PageRequest } from '../../actions/protocol.ts';
import { TabloomError } from '../../model/errors.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PageBrowser, ScriptResult, ScriptTarget } from './browser-api.ts';
import { type Allowance, withTimeout } from './time.ts';

/** Where the build puts the page script. */
export const PAGE_SCRIPT_FILE = '/page.js';
/** And what reads articles. */
export const ARTICLE_SCRIPT_FILE = '/article.js';

/** A tab that does not answer for this long has a dialog open, or its page is stuck. Milliseconds. */
const SILENCE = 2000;
/** The same while it reads a whole page, which takes seconds on very large ones, or does what has many parts. */
const SILENCE_SLOW = 10_000;
const SLOW: ReadonlySet<PageOp> = new Set([
  'snapshot',
  'extract',
  'article',
  'fill',
  'select_option',
  'type',
  'drag',
  'stage',
  'upload_file',
  'read_file',
]);
/** What one character that is typed may take, milliseconds. */
const TYPING = 10;
/** Of these, what gives way to the page between its parts: the page answers meanwhile, and is stuck where it does not. */
const PARTED: ReadonlySet<PageOp> = new Set(['fill', 'select_option', 'type', 'drag']);
/** How often it is asked whether it does, and how long a part may keep it from that on a busy machine, milliseconds. */
const BEAT = 1000;
const PART = 4000;

function lengthOf({ args }: PageRequest): number {
  const text = args.text ?? args.value;
  return typeof text === 'string' ? text.length : 0;
}

function slowness(request: PageRequest): number {
  return SILENCE_SLOW + lengthOf(request) * TYPING;
}

/** One frame of a tab, and the document in it once it is known. */
export interface Place {
  tabId: number;
  frameId: number;
  /** Set by the first answer; a request with it reaches that document or none. */
  documentKey?: string;
}

/** Mark of a document that may not be scripted. */
export const CLOSED_MARK = 'closed to us';
/** Where the mark of a document is kept in its isolated world. */
export const MARK_GLOBAL = `${PAGE_GLOBAL}Mark`;

let marks = 0;

/** A mark that no document has. */
export function newMark(clock: Clock): string {
  marks += 1;
  return `${clock.now()}.${marks}`;
}

type Raw = { missing: true } | { key: string; mark: string; reply: PageReply };
type Gone = 'undelivered' | 'lost';

/**
 * Answer of {@link PageScripts.ask}, or why there is none. `undelivered`: the document that was meant was not there any more, so the request
 * has reached nothing. `lost`: the document or its tab went away while the request was on its way, before, during or after its work.
 */
export type Asked =
  | { gone: 'undelivered' }
  | { gone: 'lost' }
  /** `mark`: as {@link PageScripts.documentMark} gives it, of the document in that frame. */
  | { gone: false; key: string; mark: string; reply: PageReply };

/** Puts the page script into frames and talks to it. */
export class PageScripts {
  readonly #browser: PageBrowser;
  readonly #clock: Clock;
  /** Which document was met last in a frame. */
  readonly #met = new Map<string, string>();

  constructor(browser: PageBrowser, clock: Clock) {
    this.#browser = browser;
    this.#clock = clock;
  }

  /**
   * One request to the page script of a frame; puts it there first if need be.
   * @throws TabloomError `timeout` when the tab does not answer; with `acted: false`, since the browser has refused to deliver it,
   * `navigation_failed` on a browser's error page and `permission_denied`; `cancelled`.
   */
  async ask(place: Place, request: PageRequest, time: Allowance): Promise<Asked> {
    const target = { tabId: place.tabId, frameIds: [place.frameId] };
    const frame = `${place.tabId}/${place.frameId}`;
    for (let round = 0; round < 2; round++) {
      const args = [PAGE_GLOBAL, place.documentKey ?? null, request, MARK_GLOBAL, newMark(this.#clock)];
      const raw = await this.#run<Raw>(target, callPage, args, request, time).catch(async (error: unknown) => {
        if (await this.#hasLeft(target, place.documentKey ?? this.#met.get(frame), error, time)) return 'lost' as const;
        throw error;
      });
      if (typeof raw === 'string') return { gone: raw };
      if (!('missing' in raw)) {
        this.#met.set(frame, raw.key);
        return { gone: false, ...raw };
      }
      // The document that was meant is not this one.
      if (place.documentKey !== undefined) return { gone: 'undelivered' };
      if (!(await this.#inject(target, time))) return { gone: 'undelivered' };
      const key = await this.#keyOf(target, time);
      if (key === undefined) this.#met.delete(frame);
      else this.#met.set(frame, key);
    }
    return { gone: 'undelivered' };
  }

  /** Key of the page script that is in a frame now. */
  async #keyOf(target: ScriptTarget, time: Allowance): Promise<string | undefined> {
    const results = await this.#execute(target, { func: keyOfPage, args: [PAGE_GLOBAL] }, SILENCE, time);
    return (here(results)[0]?.result as string | null | undefined) ?? undefined;
  }

  /**
   * Whether a tab that has not answered was silent only because the document that was asked has been left: a page that goes into the
   * back-forward cache keeps its promises to itself (measured in Chromium 156).
   */
  async #hasLeft(target: ScriptTarget, asked: string | undefined, error: unknown, time: Allowance): Promise<boolean> {
    if (asked === undefined || !TabloomError.is(error) || error.code !== 'timeout') return false;
    try {
      return (await this.#keyOf(target, time)) !== asked;
    } catch (again) {
      // A page that may not be scripted is another one than that which was asked.
      return TabloomError.is(again) && (again.code === 'permission_denied' || again.code === 'navigation_failed');
    }
  }

  /** Where each frame of a tab sits that may be scripted. */
  async frames(tabId: number, time: Allowance): Promise<{ frameId: number; probe: FrameProbe }[]> {
    const target = { tabId, allFrames: true };
    await this.#inject(target, time);
    const results = await this.#execute(target, { func: probePage, args: [PAGE_GLOBAL] }, SILENCE, time);
    return here(results).flatMap(({ frameId, result }) => (result ? [{ frameId, probe: result as FrameProbe }] : []));
  }

  /**
   * A mark of the document in a tab's top frame, put there by the first question; another document has another one. `undefined` when the
   * tab does not answer. A document that may not be scripted has a mark of its own, so it differs from those before and after it.
   */
  async documentMark(tabId: number, time: Allowance): Promise<string | undefined> {
    try {
      const results = await this.#execute(
        { tabId, frameIds: [0] },
        { func: markPage, args: [MARK_GLOBAL, newMark(this.#clock)] },
        SILENCE,
        time,
      );
      return (here(results)[0]?.result as string | null | undefined) ?? undefined;
    } catch (error) {
      return TabloomError.is(error) && error.code !== 'timeout' ? CLOSED_MARK : undefined;
    }
  }

  /** Tells the entries of a tab's history apart that are of one document. `undefined` where it may not be asked. */
  async historyEntry(tabId: number, time: Allowance): Promise<string | undefined> {
    try {
      const results = await this.#execute({ tabId, frameIds: [0] }, { func: entryOf, args: [] }, SILENCE, time);
      return (here(results)[0]?.result as string | null | undefined) ?? undefined;
    } catch (error) {
      if (TabloomError.is(error) && error.code !== 'cancelled') return undefined;
      throw error;
    }
  }

  /** How far the top document of a tab is. @throws TabloomError `navigation_failed` on a browser's error page. */
  async readyState(tabId: number, time: Allowance): Promise<DocumentReadyState | undefined> {
    const results = await this.#execute({ tabId, frameIds: [0] }, { func: readyStateOf, args: [] }, SILENCE, time);
    return here(results)[0]?.result as DocumentReadyState | undefined;
  }

  /**
   * HTTP status and media type with which the top document of a tab came, where the browser knows them.
   * @throws TabloomError as {@link readyState}
   */
  async answer(tabId: number, time: Allowance): Promise<{ status?: number; type?: string }> {
    const results = await this.#execute({ tabId, frameIds: [0] }, { func: answerOf, args: [] }, SILENCE, time);
    return (here(results)[0]?.result ?? {}) as { status?: number; type?: string };
  }

  async #run<T>(
    target: ScriptTarget,
    func: (...args: never[]) => unknown,
    args: unknown[],
    request: PageRequest,
    time: Allowance,
  ): Promise<T | Gone> {
    const cancel = (): void => {
      const stop = { target, injectImmediately: true, func: cancelInPage, args: [PAGE_GLOBAL, request.id] };
      this.#browser.scripting.executeScript(stop).catch(() => undefined);
    };
    const silence = SLOW.has(request.op) ? Math.max(SILENCE, Math.min(slowness(request), time.left)) : SILENCE;
    time.signal.addEventListener('abort', cancel, { once: true });
    try {
      const work = this.#execute(target, { func, args }, request.waitMs + silence, time);
      const results = await (PARTED.has(request.op)
        ? // A long text may be taken in one part.
          this.#whileAlive(work, target, PART + lengthOf(request), time)
        : work);
      if (typeof results === 'string') return results;
      // No result: the document went away before the script's promise was settled.
      return (results[0]?.result as T | null | undefined) ?? 'lost';
    } finally {
      time.signal.removeEventListener('abort', cancel);
    }
  }

  /**
   * Waits for work of many parts as long as its page answers.
   * @param ms how long it may be silent
   * @throws TabloomError `timeout` when it is silent for longer
   */
  async #whileAlive<T>(work: Promise<T>, target: ScriptTarget, ms: number, time: Allowance): Promise<T> {
    const beat = Symbol('beat');
    work.catch(() => undefined);
    for (;;) {
      const done = await withTimeout(this.#clock, BEAT, work, beat, time.signal);
      if (done !== beat) return done as T;
      // Only its silence counts. Where the work has led to another page, the work's own answer says what became of it.
      const asked = this.#execute(target, { func: keyOfPage, args: [PAGE_GLOBAL] }, ms, time).catch(
        (error: unknown) => {
          if (TabloomError.is(error) && error.code === 'timeout') throw error;
        },
      );
      const first = await Promise.race([work, asked.then(() => beat)]);
      if (first !== beat) return first as T;
    }
  }

  /** Puts another of the build's scripts beside the page script of a frame. */
  async add({ tabId, frameId }: Place, file: string, time: Allowance): Promise<void> {
    await this.#inject({ tabId, frameIds: [frameId] }, time, file);
  }

  async #inject(target: ScriptTarget, time: Allowance, file = PAGE_SCRIPT_FILE): Promise<boolean> {
    return typeof (await this.#execute(target, { files: [file] }, SILENCE, time)) !== 'string';
  }

  /** In place of results: whether the frame, or its document, was gone before, or went away meanwhile. */
  async #execute(
    target: ScriptTarget,
    script: { files: string[] } | { func: (...args: never[]) => unknown; args: unknown[] },
    ms: number,
    time: Allowance,
  ): Promise<ScriptResult[] | Gone> {
    time.check();
    try {
      const call = this.#browser.scripting.executeScript({ target, injectImmediately: true, ...script });
      const results = await withTimeout(this.#clock, ms, call, 'silent' as const, time.signal);
      time.check();
      if (results === 'silent') throw silentTab();
      const failed = target.allFrames
        ? undefined
        : results.find((one) => one.error !== undefined && one.error !== null);
      if (failed) return explain(failed.error);
      return results;
    } catch (error) {
      if (TabloomError.is(error)) throw error;
      return explain(error);
    }
  }
}

function silentTab(): TabloomError {
  return new TabloomError(
    'timeout',
    'Look at the tab: it does not answer; a dialog may be open in it, or its page is busy.',
    {
      details: { reason: 'tab_silent' },
    },
  );
}

function here(results: ScriptResult[] | Gone): ScriptResult[] {
  return typeof results === 'string' ? [] : results;
}

/** Sorts what `executeScript` throws. Messages are Chromium's and Firefox's; neither gives codes. */
function explain(error: unknown): Gone {
  const message = (error as { message?: unknown } | null)?.message;
  const text = typeof message === 'string' ? message : String(error);
  // Firefox has no words for its error pages but these; that the address itself is granted was checked before.
  if (/error page|about:neterror|missing host permission/i.test(text)) {
    throw new TabloomError(
      'navigation_failed',
      'Check the address and the connection: the browser shows an error page.',
      { acted: false },
    );
  }
  if (/cannot access|cannot be scripted|must request permission/i.test(text)) {
    throw new TabloomError('permission_denied', 'Allow Tabloom to work on the page in this tab.', {
      details: { reason: text.slice(0, 200) },
      acted: false,
    });
  }
  // Both browsers look the tab and the frame up first, and say this of those that are not there.
  if (/^(no (tab|frame) with id|invalid (tab|frame) id)/i.test(text)) return 'undelivered';
  if (/frame|document|tab|no window|context|destroyed|unloaded|navigat|actor/i.test(text)) return 'lost';
  throw new TabloomError('internal', `The page script could not run: ${text.slice(0, 300)}`);
}

// The functions below run in the page's isolated world; they may use nothing but their arguments.

function callPage(name: string, key: string | null, request: JsonObject, markName: string, fresh: string): unknown {
  const script = (
    globalThis as unknown as Record<string, { documentKey: string; call(request: JsonObject): Promise<unknown> }>
  )[name];
  if (!script || (key !== null && script.documentKey !== key)) return { missing: true };
  const world = globalThis as unknown as Record<string, string>;
  world[markName] ??= fresh;
  return script.call(request).then((reply) => ({ key: script.documentKey, mark: world[markName], reply }));
}

function keyOfPage(name: string): unknown {
  return (globalThis as unknown as Record<string, { documentKey: string }>)[name]?.documentKey ?? null;
}

function cancelInPage(name: string, id: string): unknown {
  return (globalThis as unknown as Record<string, { cancel(id: string): boolean }>)[name]?.cancel(id) ?? null;
}

function markPage(name: string, fresh: string): unknown {
  const world = globalThis as unknown as Record<string, string>;
  world[name] ??= fresh;
  return world[name];
}

function readyStateOf(): unknown {
  return document.readyState;
}

function entryOf(): unknown {
  const { navigation } = globalThis as unknown as { navigation?: { currentEntry?: { key: string } | null } };
  // Where there are no keys, the state that the page gave the entry has to do.
  return `${navigation?.currentEntry?.key ?? JSON.stringify(history.state)} ${location.href}`;
}

function answerOf(): unknown {
  const [navigation] = performance.getEntriesByType('navigation');
  const status = (navigation as { responseStatus?: number } | undefined)?.responseStatus;
  return { ...(status ? { status } : {}), type: document.contentType };
}

function probePage(name: string): unknown {
  const script = (
    globalThis as unknown as Record<string, { call(request: object): Promise<{ ok: boolean; value?: unknown }> }>
  )[name];
  const request = { id: 'probe', op: 'probe', args: {}, waitMs: 0, origin: self.origin };
  return script?.call(request).then((reply) => (reply.ok ? reply.value : null)) ?? null;
}
