import type { Json, JsonObject } from './json.ts';

/** The names a template or condition can start from (SPEC §2). */
export const ROOTS = [
  'workflow_input',
  'step',
  'status',
  'loop_item',
  'loop_index',
  'loop',
  'trigger',
  'run',
  'review',
  'error',
  'input',
  'secret',
  'value',
] as const;
export type RootName = (typeof ROOTS)[number];

/**
 * Gives the value of a root, or `undefined` where there is none here. `step` and `status` are asked for by id through `member`, so that
 * nobody builds an object of all outputs for one template.
 */
export interface Scope {
  /** Whole value of a root, for roots that are plain values. */
  root(name: RootName): Json | undefined;
  /** One member of a root (`step.<id>`, `status.<id>`, `loop.<id>`, `secret.<name>`); `undefined` where it is not there. */
  member(name: RootName, key: string): Json | undefined;
}

/** A scope over plain objects, for tests and for operations. */
export function plainScope(roots: Partial<Record<RootName, Json>>): Scope {
  return {
    root: (name) => (Object.hasOwn(roots, name) ? roots[name] : undefined),
    member: (name, key) => {
      const value = Object.hasOwn(roots, name) ? roots[name] : undefined;
      if (value === undefined || value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
      return Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined;
    },
  };
}
