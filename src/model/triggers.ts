import type { Duration } from './duration.ts';
import type { Json, JsonObject } from './json.ts';
import { z } from './zod.ts';

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

const firingTabSchema = z.object({
  id: z.number(),
  session: z.string(),
  address: z.string().optional(),
});

const firingSchema = z.object({
  key: z.string(),
  at: z.number(),
  due: z.number(),
  trigger: z.record(z.string(), z.json()),
  input: z.record(z.string(), z.json()).optional(),
  tab: firingTabSchema.optional(),
});

const noteSchema = z.object({ at: z.number(), code: z.string(), message: z.string() });

/** How states are checked when they are read. */
export const triggerStateSchema = z.object({
  on: z.boolean(),
  def: z.string().optional(),
  since: z.number().optional(),
  off: z.object({ at: z.number(), failures: z.number() }).optional(),
  origins: z.array(z.string()).optional(),
  past: z.number().optional(),
  waiting: z.array(firingSchema).optional(),
  note: noteSchema.optional(),
});

/** The browser's tab that a trigger fired in, and the life of the browser in which its id means something. */
export interface FiringTab {
  id: number;
  session: string;
  /** The page must still be there: what starts by itself on a page has no business on the next one. */
  address?: string;
}

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
  /** The whole input, where a person has given it. */
  input?: JsonObject;
  tab?: FiringTab;
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
  /** Hash of the definition that was switched on: another one has to be switched on anew. */
  def?: string;
  /** Since when, epoch milliseconds; runs and times before it do not count. */
  since?: number;
  /** Switched off by itself, after runs that failed in a row. */
  off?: { at: number; failures: number };
  /** Of a `page` trigger with `auto`: origins on which it may start by itself. */
  origins?: string[];
  /** Of a schedule or a task event: up to when everything has been dealt with, epoch milliseconds. */
  past?: number;
  /** Fired and not begun, oldest first. */
  waiting?: Firing[];
  note?: TriggerNote;
}

/** States of a workflow's triggers, by id. */
export type TriggerStates = Record<string, TriggerState>;
