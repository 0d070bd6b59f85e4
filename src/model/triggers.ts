import type { Duration } from './duration.ts';
import type { Json, JsonObject } from './json.ts';

/** Trigger types of SPEC §9. */
export const TRIGGER_TYPES = [
  'manual',
  'page',
  'context_menu',
  'command',
  'schedule',
  'omnibox',
  'mcp',
  'task_event',
] as const;
export type TriggerType = (typeof TRIGGER_TYPES)[number];

/** Places of the context menu. */
export const MENU_PLACES = ['page', 'selection', 'link', 'image'] as const;
export type MenuPlace = (typeof MENU_PLACES)[number];

/** What a firing does while an earlier run of the same trigger has not ended. */
export const CONCURRENCY = ['queue', 'skip', 'replace'] as const;
export type Concurrency = (typeof CONCURRENCY)[number];

/** What every trigger may have. */
interface Common {
  id: string;
  /** The run's input, by name; templates over `trigger`. */
  input?: Record<string, Json>;
  /** Default `queue`. */
  concurrency?: Concurrency;
  /** Firings that come sooner after one another are one, the last. */
  debounce?: Duration;
}

/** A trigger as a workflow file says it, after preflight. */
export type TriggerDefinition = Common &
  (
    | { type: 'manual' | 'mcp' }
    | { type: 'page'; match: string[]; selector?: string; auto?: boolean; button?: boolean }
    | { type: 'context_menu'; on?: MenuPlace[] }
    | { type: 'command'; slot: number }
    | { type: 'schedule'; cron: string; timezone?: string; missed?: 'skip' | 'run_once' }
    | { type: 'omnibox'; keyword: string }
    | { type: 'task_event'; event: 'completed'; workflow?: string }
  );
export type TriggerOf<T extends TriggerType> = Extract<TriggerDefinition, { type: T }>;

/** One time that a trigger fired and no run was begun yet. */
export interface Firing {
  /** Idempotency key of its run: however often it is begun, it is one run. */
  key: string;
  /** When it fired, epoch milliseconds. */
  at: number;
  /** Not before this, epoch milliseconds: `debounce`. */
  due: number;
  /** The root `trigger` of the run. */
  trigger: JsonObject;
  /** The browser's tab that it fired in, and the life of the browser in which that id means something. */
  tab?: { id: number; session: string };
}

/** Why a firing led to no run; shown to the person until it is dismissed or a later one begins. */
export interface TriggerNote {
  at: number;
  code: string;
  message: string;
}

/** What is kept of a trigger between firings. */
export interface TriggerState {
  /** Switched on by the person. */
  on: boolean;
  /** Since when, epoch milliseconds; runs and times before it do not count. */
  since?: number;
  /** Switched off by itself, after runs that failed in a row. */
  off?: { at: number; failures: number };
  /** Of a `page` trigger with `auto`: origins on which it may start by itself. */
  origins?: string[];
  /** Of a schedule: the last time that was dealt with, epoch milliseconds. */
  past?: number;
  /** Fired and not begun, oldest first. */
  waiting?: Firing[];
  note?: TriggerNote;
}

/** States of a workflow's triggers, by id. */
export type TriggerStates = Record<string, TriggerState>;
