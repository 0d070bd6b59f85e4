import { setTimeout as sleep } from 'node:timers/promises';
import type { CdpConnection, CdpSession, TargetInfo } from './cdp.ts';

/** Code evaluated in a page threw; the message is the page's. */
export class PageEvaluationError extends Error {
  override readonly name = 'PageEvaluationError';
}

interface RemoteResult {
  result: { value?: unknown };
  exceptionDetails?: { text: string; exception?: { description?: string; value?: unknown } };
}

/**
 * Runs an expression in the page and waits for the promise it may give.
 * @param options.gesture counts it as done by the person, which some APIs insist on.
 * @returns its value, which must be JSON.
 * @throws PageEvaluationError when it throws; CdpError when the page is gone or does not answer in time.
 */
export async function evaluate<T>(
  session: CdpSession,
  expression: string,
  options: { timeoutMs?: number; gesture?: boolean } = {},
): Promise<T> {
  const answer = await session.send<RemoteResult>(
    'Runtime.evaluate',
    { expression, awaitPromise: true, returnByValue: true, userGesture: options.gesture ?? false },
    options.timeoutMs,
  );
  const thrown = answer.exceptionDetails;
  if (thrown) {
    throw new PageEvaluationError(thrown.exception?.description ?? String(thrown.exception?.value ?? thrown.text));
  }
  return answer.result.value as T;
}

/** How long anything may take to show up. A machine at its limits takes ten seconds to open a page. Milliseconds. */
const PATIENCE = 30_000;

/** Between two checks of one wait: a twentieth of the time waited so far, within these. A check may cost the browser more than a moment. Milliseconds. */
const LEAST_PAUSE = 30;
const MOST_PAUSE = 250;

/** Repeats a check until it gives something, or throws `failure` after `timeoutMs`. */
export async function until<T>(
  check: () => Promise<T | undefined | false>,
  failure: () => Error,
  timeoutMs = PATIENCE,
): Promise<T> {
  const start = Date.now();
  for (;;) {
    const value = await check();
    if (value) return value;
    const waited = Date.now() - start;
    if (waited >= timeoutMs) throw failure();
    await sleep(Math.min(MOST_PAUSE, Math.max(LEAST_PAUSE, waited / 20)));
  }
}

/** Waits for a target that was not there before and whose address starts with `url`. */
export function waitForTarget(
  cdp: CdpConnection,
  url: string,
  known: ReadonlySet<string>,
  timeoutMs = PATIENCE,
): Promise<TargetInfo> {
  return until(
    async () => (await cdp.targets()).find((target) => target.url.startsWith(url) && !known.has(target.targetId)),
    () => new Error(`${url} did not open in ${timeoutMs} ms.`),
    timeoutMs,
  );
}

/** Resolves when the page has loaded and its scripts have run. */
export async function waitForLoad(session: CdpSession, timeoutMs = PATIENCE): Promise<void> {
  await until(
    () => evaluate<boolean>(session, "document.readyState === 'complete' && location.href !== 'about:blank'"),
    () => new Error('The page did not finish loading.'),
    timeoutMs,
  );
}
