import { TabloomError } from '../../../model/errors.ts';
import { beforehand } from '../once.ts';
import type { Allowance } from '../time.ts';
import { MOST_BYTES, tooLarge } from './limit.ts';
import { mediaTypeOf, readDisposition } from './name.ts';

/** A file as a server gave it. */
export interface FetchedFile {
  bytes: Uint8Array;
  mediaType: string;
  /** As the server suggests it. */
  suggested?: string;
  /** The server says that it is to be saved. */
  attachment: boolean;
  /** Where it came from at last. */
  url: string;
}

/**
 * Fetches a file as the person's browser would, with its cookies, and as far as the limit.
 * @param check throws where the address must not be read; asked again for the one that it came from at last
 * @throws TabloomError `download_failed`, `network`, `timeout`, `output_too_large`, all with `acted: false`: it was only asked for
 */
export function fetchFile(
  url: string,
  check: (url: string) => Promise<unknown>,
  time: Allowance,
): Promise<FetchedFile> {
  return beforehand(fetchWhole(url, check, time));
}

async function fetchWhole(
  url: string,
  check: (url: string) => Promise<unknown>,
  time: Allowance,
): Promise<FetchedFile> {
  await check(url);
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  time.signal.addEventListener('abort', abort, { once: true });
  const clear = time.at(abort);
  let got = 0;
  try {
    const response = await fetch(url, { credentials: 'include', signal: stop.signal });
    if (response.url && response.url !== url) await check(response.url);
    if (!response.ok) {
      throw failed(`Check the address: ${siteOf(url)} answered with HTTP ${response.status} instead of a file.`, {
        status: response.status,
      });
    }
    const announced = Number(response.headers.get('content-length') ?? 0);
    if (announced > MOST_BYTES) throw tooLarge(announced);
    const bytes = await read(response, (size) => {
      got = size;
      if (size > MOST_BYTES) throw tooLarge(size);
    });
    const { attachment, name } = readDisposition(response.headers.get('content-disposition'));
    const mediaType = mediaTypeOf(response.headers.get('content-type'));
    return { bytes, mediaType, attachment, url: response.url || url, ...(name ? { suggested: name } : {}) };
  } catch (error) {
    time.check();
    if (TabloomError.is(error)) throw error;
    if (time.over)
      throw new TabloomError(
        'timeout',
        `Raise the step's timeout, or look whether ${siteOf(url)} is well: the file did not end in time (${got} bytes had come).`,
        { details: { bytes: got }, acted: false },
      );
    throw got > 0 ? failed('Try again: the connection broke in the middle of the file.') : await unreached(url);
  } finally {
    clear();
    time.signal.removeEventListener('abort', abort);
    stop.abort();
  }
}

async function read(response: Response, count: (size: number) => void): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const part = await reader?.read();
    if (!part || part.done) break;
    parts.push(part.value);
    size += part.value.length;
    count(size);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** A redirect to a site that was not granted looks like a broken connection; asked not to follow, the browser says that there is one. */
async function unreached(url: string): Promise<TabloomError> {
  const direct = await fetch(url, { credentials: 'omit', redirect: 'manual' }).catch(() => undefined);
  await direct?.body?.cancel().catch(() => undefined);
  if (direct?.type === 'opaqueredirect')
    return failed(
      `Add the site that ${siteOf(url)} leads on to to the workflow's sites, and grant it: the file is not on ${siteOf(url)} itself.`,
      { reason: 'redirect' },
    );
  return new TabloomError('network', `Check the address and the connection: ${siteOf(url)} gives no answer.`, {
    acted: false,
  });
}

function failed(message: string, details?: { status?: number; reason?: string }): TabloomError {
  return new TabloomError('download_failed', message, { ...(details ? { details } : {}), acted: false });
}

/** The site of an address; the rest of one may hold what is nobody's business. */
function siteOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'the address';
}
