import { browser } from 'wxt/browser';
import {
  type RequestMessage,
  type RequestName,
  type Requests,
  type ResponseMessage,
  UPDATES_PORT,
  type UpdateMessage,
} from '../src/app/protocol.ts';
import type { Command, CommandResult } from '../src/model/commands.ts';
import { TabloomError } from '../src/model/errors.ts';

/** Which page this is; recorded with each decision. Set once by the entry point. */
export type Surface = 'popup' | 'sidepanel' | 'app';
let surface: Surface = 'app';
export function setSurface(name: Surface): void {
  surface = name;
}

/**
 * Questions that change nothing, and commands, whose id is taken only once. They are put again when the browser ends the background while
 * it answers, as it may at any moment.
 */
const REPEATABLE = /\.(get|list|search|missing|check|events|form)$|^command\.send$/;
const ATTEMPTS = 3;
const PAUSE = 300;

/**
 * Asks the background one question. Rejects with a `TabloomError`: the background's own code and sentence, or `unreachable` when
 * nobody answers (the extension was updated, or the background is broken).
 */
export async function ask<K extends RequestName>(name: K, payload: Requests[K]['in']): Promise<Requests[K]['out']> {
  let first: unknown;
  for (let attempt = 1; ; attempt++) {
    try {
      return await askOnce(name, payload);
    } catch (error) {
      first ??= error;
      const lost = TabloomError.is(error) && error.code === 'unreachable';
      if (!lost) throw error;
      if (!REPEATABLE.test(name) || attempt === ATTEMPTS) throw first;
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }
}

async function askOnce<K extends RequestName>(name: K, payload: Requests[K]['in']): Promise<Requests[K]['out']> {
  const message: RequestMessage<K> = { tabloom: 1, name, payload };
  let answer: ResponseMessage<K> | undefined;
  try {
    answer = (await browser.runtime.sendMessage(message)) as ResponseMessage<K> | undefined;
  } catch (error) {
    throw new TabloomError('unreachable', error instanceof Error ? error.message : 'The background does not answer.');
  }
  if (!answer) throw new TabloomError('unreachable', 'The background does not answer.');
  if (!answer.ok) throw new TabloomError(answer.error.code, answer.error.message);
  return answer.value;
}

/** Sends a command under a fresh id. A failure to reach the background comes back as a refusal, like any other. */
export async function command(body: Command): Promise<CommandResult> {
  try {
    return await ask('command.send', { commandId: crypto.randomUUID(), command: body, surface });
  } catch (error) {
    if (!TabloomError.is(error)) throw error;
    return { ok: false, code: error.code, message: error.message };
  }
}

/** Answers several approvals at once, each by its own hash. @returns a result for each, in order; never rejects */
export async function decideAll(
  decision: 'approved' | 'rejected',
  rows: readonly { runId: string; path: string; hash: string }[],
): Promise<CommandResult[]> {
  const items = rows.map(({ runId, path, hash }) => ({ commandId: crypto.randomUUID(), runId, path, hash }));
  try {
    return (await ask('approvals.decide', { decision, items, surface })).results;
  } catch (error) {
    if (!TabloomError.is(error)) throw error;
    const { code, message } = error;
    return rows.map(() => ({ ok: false, code, message }));
  }
}

type Listener = (update: UpdateMessage | 'reconnected') => void;
const FIRST_DELAY = 200;
const MAX_DELAY = 5000;

/**
 * Listens to what the background commits. The port breaks whenever the browser stops the worker; connecting again wakes it. After a
 * break the listener gets `reconnected`, since updates may have been missed. Returns a function that ends it.
 */
export function onUpdates(listener: Listener): () => void {
  let ended = false;
  let delay = FIRST_DELAY;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let close = () => {};

  const connect = (again: boolean) => {
    if (ended) return;
    try {
      const port = browser.runtime.connect({ name: UPDATES_PORT });
      close = () => port.disconnect();
      port.onMessage.addListener((message: unknown) => {
        delay = FIRST_DELAY;
        listener(message as UpdateMessage);
      });
      port.onDisconnect.addListener(later);
      if (again) listener('reconnected');
    } catch {
      later();
    }
  };
  const later = () => {
    if (ended) return;
    clearTimeout(timer);
    timer = setTimeout(() => connect(true), delay);
    delay = Math.min(MAX_DELAY, delay * 2);
  };

  connect(false);
  return () => {
    ended = true;
    clearTimeout(timer);
    close();
  };
}
