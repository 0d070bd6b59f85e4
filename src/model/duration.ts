import { z } from './zod.ts';

const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const FORM = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/** A duration as files write it: `250ms`, `90s`, `5m`, `2h`, `7d`, or a number of milliseconds (SPEC §1). */
export type Duration = string | number;

/** Milliseconds of a duration, or `undefined` where the text is none. */
export function parseDuration(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value : undefined;
  if (typeof value !== 'string') return undefined;
  const match = FORM.exec(value);
  if (!match) return undefined;
  return Number(match[1]) * (UNITS[match[2] as string] as number);
}

/** Milliseconds of a duration that the schema has already accepted. @throws RangeError otherwise. */
export function durationMs(value: Duration): number {
  const ms = parseDuration(value);
  if (ms === undefined) throw new RangeError(`not a duration: ${value}`);
  return ms;
}

/** Zod schema of a duration between two bounds, both written as durations and both allowed. */
export function durationSchema(min: Duration, max: Duration) {
  const low = durationMs(min);
  const high = durationMs(max);
  return z
    .union([z.string(), z.number()])
    .refine(
      (value) => parseDuration(value) !== undefined,
      'a duration such as 250ms, 90s, 5m, 2h or 7d, or milliseconds',
    )
    .refine((value) => {
      const ms = parseDuration(value);
      return ms === undefined || (ms >= low && ms <= high);
    }, `a duration from ${min} to ${max}`)
    .meta({
      // For editors; what only code can check is left to the refinements.
      anyOf: [
        { type: 'string', pattern: FORM.source },
        { type: 'number', minimum: low, maximum: high },
      ],
      type: undefined,
    });
}
