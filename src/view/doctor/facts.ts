import type { WaitKind } from '../../model/run.ts';
import type { DatabaseLook } from '../../ports/inspector.ts';

/** Something that went wrong. `message` may quote what others said: it is shown to the person and never copied into a report. */
export interface Fault {
  code: string;
  /** The browser's own name for it (`QuotaExceededError`). */
  name?: string;
  message: string;
}

/** A part of the facts, or why it could not be had. */
export type Looked<T> = { ok: true; value: T } | { ok: false; fault: Fault };

export interface BrowserFacts {
  /** As the browser calls itself: `Chromium`, `Google Chrome`, `Firefox`. */
  name: string;
  /** Empty where it does not say. */
  version: string;
  /** Oldest version that the manifest accepts. */
  minimum?: string;
}

export interface ExtensionFacts {
  id: string;
  version: string;
  build: 'production' | 'development';
  /** How it came into the browser, by the browser's own word: `development` is unpacked or temporary. */
  install?: string;
  /** The manifest fixes the id, so that data survives a move of the folder. */
  fixedId: boolean;
  /** It runs in a private window, whose data is gone with it. */
  incognito: boolean;
}

/** The background's present life. Times are epoch milliseconds. */
export interface WorkerFacts {
  startedAt: number;
  ready: boolean;
  /** From its start until every run was recovered, milliseconds. */
  recoveredMs?: number;
  /** Which life of the background this is, since the browser was started. */
  lives?: number;
  lock: 'held' | 'waiting' | 'unsupported' | 'unasked';
  /** It calls the browser now and then, so as not to be stopped while a run is at work. */
  keptAlive: boolean;
  /** Why it could not start. */
  bootFault?: Fault;
  /** The last fault of this session of the browser that did not stop it. */
  lastFault?: { at: number; message: string };
}

/** The run journals that were checked. */
export interface JournalFacts {
  checked: number;
  /** Not all that was asked for could be checked in the time there was. */
  cut: boolean;
  /** Runs whose chain does not hold, each with the number of the first event that is wrong. */
  broken: { runId: string; seq: number }[];
}

export interface GrantFacts {
  granted: string[];
  /** Origins that are wanted and not granted, each with who wants it. */
  missing: { origin: string; workflows: string[]; runs: string[]; waiting: boolean }[];
}

export interface ModelFacts {
  accounts: { id: string; provider: string; hasKey: boolean; needsKey: boolean; hasAddress: boolean }[];
  /** The default model as the settings name it. */
  default?: string;
  /** Account that the default model belongs to; absent where the settings have none of that name. */
  defaultAccount?: string;
  /** Switched-on workflows that name a model which cannot be called, or a secret that is not stored. */
  unmetModel: string[];
  unmetSecret: string[];
}

/** A call of the default model, made because a person asked for it. */
export interface ConnectionFacts {
  ok: boolean;
  model: string;
  code?: string;
  status?: number;
  message: string;
  /** Whether the browser believes that it has a network. */
  online: boolean;
}

export interface AlarmFacts {
  /** When the alarm for what is due goes off. */
  wakeAt?: number;
  /** The alarm that wakes a background which was stopped while a run was at work. */
  watchdog: boolean;
  /** Earliest moment at which the engine wants to be woken. */
  due?: number;
  /** An attempt or backoff is under way. */
  running: boolean;
}

export interface RunFacts {
  stopped: boolean;
  unfinished: number;
  paused: number;
  /** Runs that wait for a person, by kind. */
  waiting: Partial<Record<WaitKind, number>>;
  /** Runs that say that they run, with nothing at work and nothing due. */
  stuck: string[];
  /** Unfinished runs that the engine could not read. */
  unread: string[];
}

/**
 * All that the background knows of its own health. Holds ids, codes, counts and times, origins and names of workflows and accounts; no
 * key, no secret, no input, no output and no address of a page. Parts that need a started background are absent without one.
 */
export interface DoctorFacts {
  now: number;
  browser: BrowserFacts;
  extension: ExtensionFacts;
  worker: WorkerFacts;
  database: Looked<DatabaseLook & { probe: Looked<null> }>;
  journals?: Looked<JournalFacts>;
  grants?: Looked<GrantFacts>;
  models?: Looked<ModelFacts>;
  alarms?: Looked<AlarmFacts>;
  runs?: Looked<RunFacts>;
}
