import type { IncomingMessage } from 'node:http';
import { LINK_PATH } from '../../model/link.ts';

/** Why a request is turned away, before anything of it is looked at. */
export type Refused = { status: 403 | 404; why: string };

/** Origins of extensions, exactly as browsers write them: Chromium's ids are 32 letters from a to p, Firefox's are UUIDs. */
const EXTENSION = /^(?:chrome-extension:\/\/[a-p]{32}|moz-extension:\/\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
/** How often one origin may fail to prove itself before it has to wait, and for how long. Milliseconds. */
const TRIES = 5;
const LOCKED_MS = 30_000;

/**
 * Whether a request may ask to be a link: it must speak to this very address (a name that somebody's DNS lets point here is another one:
 * DNS rebinding) and come from an extension (a page's own origin is what its browser says). Compared whole and exactly: no prefix, no case.
 */
export function refusedLink(request: IncomingMessage, port: number): Refused | undefined {
  if (!ownHost(request.headers.host, port)) return { status: 403, why: 'host' };
  const { origin } = request.headers;
  if (typeof origin !== 'string' || !EXTENSION.test(origin)) return { status: 403, why: 'origin' };
  if (request.url !== LINK_PATH) return { status: 404, why: 'path' };
  return undefined;
}

export function ownHost(host: string | undefined, port: number): boolean {
  return [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`].includes(host ?? '');
}

/** Counts failed proofs by origin. */
export class Lockout {
  readonly #now: () => number;
  readonly #failed = new Map<string, { count: number; until: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  locked(origin: string): boolean {
    const met = this.#failed.get(origin);
    return met !== undefined && met.count >= TRIES && met.until > this.#now();
  }

  failed(origin: string): void {
    const met = this.#failed.get(origin);
    const count = met && met.until > this.#now() ? met.count + 1 : 1;
    this.#failed.set(origin, { count, until: this.#now() + LOCKED_MS });
  }

  passed(origin: string): void {
    this.#failed.delete(origin);
  }
}
