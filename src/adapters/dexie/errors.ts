import { TabloomError } from '../../model/errors.ts';
import { isStoreConflict } from '../memory/conflict.ts';

/** Tells the engine that trying again is of no use in this process. */
const FINAL = { final: true };

/** This connection will not work again. */
export class DatabaseGoneError extends TabloomError {
  constructor(message = 'The database was updated or deleted by another page of Tabloom; reload this one.') {
    super('internal', message, { details: FINAL });
  }
}

/** The database was written by a newer Tabloom. */
export class DatabaseNewerError extends TabloomError {
  constructor() {
    super('internal', 'The database was written by a newer version of Tabloom; update the extension to use it.', {
      details: FINAL,
    });
  }
}

/** What browsers call their failures, and what a person can do about each. */
const SENTENCES: Record<string, string> = {
  QuotaExceededError:
    'The browser has no room left to store anything: free disk space, and what waits goes on by itself within seconds.',
  AbortError: 'The browser aborted the write and nothing of it was stored; try again.',
  DatabaseClosedError: 'The database was closed; reload Tabloom.',
  InvalidStateError: 'The browser closed the database; reload Tabloom.',
  VersionError: 'The database was written by a newer version of Tabloom; update the extension to use it.',
  UpgradeError:
    'The database could not be brought up to date and was left as it was; update the extension or report this.',
  MissingAPIError: 'This browser window offers no IndexedDB; allow site data for Tabloom or use an ordinary window.',
  DataCloneError: 'A value cannot be stored because it is not plain data; report this.',
  DataError: 'A row has no valid key and cannot be stored; report this.',
  NotReadableError: 'The browser cannot read the stored bytes any more; check the disk, or remove the run.',
  UnknownError: 'The browser failed to read or write its database; check for a full disk, then restart the browser.',
  TimeoutError: 'The database did not answer in time; close other Tabloom pages and try again.',
  OpenFailedError: 'The database could not be opened; restart the browser.',
};

/**
 * Makes an error with a readable sentence of whatever IndexedDB or Dexie rejected with. Our own errors and conflicts stay as they are. The
 * browser's name for it is kept in `details.name`.
 */
export function storeError(error: unknown): Error {
  if (TabloomError.is(error) || isStoreConflict(error)) return error;
  const inner = innermost(error);
  if (TabloomError.is(inner)) return inner;
  const name = inner instanceof Error || inner instanceof DOMException ? inner.name : 'UnknownError';
  const said = inner instanceof Error || inner instanceof DOMException ? inner.message : String(inner);
  const sentence =
    SENTENCES[name] ?? `The database failed (${said.slice(0, 200)}); try again, then restart the browser.`;
  return new TabloomError('internal', sentence, { details: { name, said: said.slice(0, 500) } });
}

/** Dexie wraps what the browser said: `OpenFailedError` around the reason, `AbortError` around `QuotaExceededError`. */
function innermost(error: unknown): unknown {
  let found = error;
  for (let depth = 0; depth < 5; depth += 1) {
    const inner = typeof found === 'object' && found !== null ? (found as { inner?: unknown }).inner : undefined;
    if (inner === undefined || inner === null) break;
    found = inner;
  }
  return found;
}
