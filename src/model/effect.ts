/**
 * What doing a step again would mean (SPEC §5): *pure* computes, *read* looks, *idempotent* may be done again with the same key,
 * *once* must not be done twice. `none`: touches only the engine's own database and commits with the step.
 */
export const EFFECTS = ['pure', 'read', 'idempotent', 'once'] as const;
export type Effect = (typeof EFFECTS)[number];
export type EffectClass = Effect | 'none';
