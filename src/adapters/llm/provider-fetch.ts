import type { Clock } from '../../ports/clock.ts';
import { readErrorBody } from './body.ts';
import { type Asked, httpError, networkError } from './errors.ts';
import { retryAfterMs } from './retry-after.ts';

/** The `fetch` that one call's provider package uses, and whether it got an answer with a good status. */
export interface ProviderFetch {
  fetch: typeof globalThis.fetch;
  answered(): boolean;
  /** The answer to a call for a stream that came in one piece; nothing of it has been read. */
  inOnePiece(): Response | undefined;
}

/** Thrown into the package that waits for a stream which will not come. */
class OnePiece extends Error {
  override readonly name = 'OnePiece';
}

/**
 * Wraps `fetch` for one model call. Everything that can go wrong on the wire becomes a `TabloomError` here, once for all providers,
 * instead of in each package's own error classes. Sends no cookies and no referrer, and follows no redirect: the key is for this
 * address only.
 * @param streamed the answer is asked for as a stream. Servers that know no streams answer in one piece all the same; that answer is set
 * aside, so that it can be read for what it is without asking, and paying, again.
 */
export function providerFetch(
  asked: Asked,
  clock: Pick<Clock, 'now'>,
  real: typeof globalThis.fetch,
  streamed: boolean,
): ProviderFetch {
  let answered = false;
  let whole: Response | undefined;
  const wrapped: typeof globalThis.fetch = async (input, init) => {
    const headers = new Headers(init?.headers);
    // Chromium ignores it, Firefox would send it and so ask for a CORS preflight; providers need not know our versions either.
    headers.delete('user-agent');
    let response: Response;
    try {
      response = await real(input, {
        ...init,
        headers,
        credentials: 'omit',
        redirect: 'error',
        referrerPolicy: 'no-referrer',
      });
    } catch (error) {
      if (init?.signal?.aborted) throw error;
      throw networkError(asked, 'none');
    }
    if (response.ok) {
      answered = true;
      if (!streamed || !isOnePiece(response)) return response;
      whole = response;
      throw new OnePiece();
    }
    const wait = retryAfterMs(response.headers, clock.now());
    // A refusal whose body cannot be read is still that refusal.
    const body = await response.text().catch(() => '');
    throw httpError(asked, response.status, readErrorBody(body), wait);
  };
  return { fetch: wrapped, answered: () => answered, inOnePiece: () => whole };
}

/** By its type; one that gives none, or another, is taken for the stream that was asked for. */
function isOnePiece(response: Response): boolean {
  return /^\s*(?:application\/(?:[\w.-]+\+)?json|text\/html)\s*(?:;|$)/i.test(
    response.headers.get('content-type') ?? '',
  );
}
