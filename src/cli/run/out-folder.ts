import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';

/** Where a run's artifacts and pictures go. Made when the first file is written. */
export class OutFolder {
  readonly path: string;
  readonly #written: string[] = [];

  /** @param path made if missing; files that are in it already are never replaced. */
  constructor(path: string) {
    this.path = resolve(path);
  }

  /** Names of the files written so far. */
  get written(): readonly string[] {
    return this.#written;
  }

  /**
   * Writes a file under a name that may come from a workflow: it cannot leave the folder, nor replace what is there.
   * @returns the name it got.
   */
  write(name: string, data: Uint8Array | string): string {
    mkdirSync(this.path, { recursive: true });
    const free = freeName(safeName(name), (candidate) => existsSync(join(this.path, candidate)));
    writeFileSync(join(this.path, free), data, { flag: 'wx' });
    this.#written.push(free);
    return free;
  }
}

/** Folder of a run when none was named: `tabloom-out/expense-review-2026-01-31T09-05-00`. */
export function defaultFolder(workflowId: string, at: Date): string {
  return join('tabloom-out', `${safeName(workflowId)}-${at.toISOString().slice(0, 19).replaceAll(':', '-')}`);
}

const RESERVED_ON_WINDOWS = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i;

/** A file name that stays in its folder on every system. */
export function safeName(name: string): string {
  const plain = name
    .replace(/[\p{Cc}\p{Bidi_Control}<>:"/\\|?*]/gu, '_')
    .replace(/^[. ]+|[. ]+$/g, '')
    .slice(0, 120);
  if (plain === '') return 'file';
  return RESERVED_ON_WINDOWS.test(plain) ? `_${plain}` : plain;
}

/** `a.csv`, or `a-2.csv` when that is taken. */
export function freeName(name: string, taken: (name: string) => boolean): string {
  if (!taken(name)) return name;
  const ending = extname(name);
  const stem = name.slice(0, name.length - ending.length);
  for (let i = 2; ; i++) {
    const candidate = `${stem}-${i}${ending}`;
    if (!taken(candidate)) return candidate;
  }
}
