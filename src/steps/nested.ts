import { z } from '../model/zod.ts';

/**
 * Schema of a nested step list. Only its shape: the steps inside are checked one by one against their own types, so that each problem is
 * reported at its own place (src/engine/preflight/shape.ts).
 */
export const stepList = z
  .array(z.record(z.string(), z.unknown()))
  .min(1, 'a list of at least one step')
  .meta({ $ref: '#/$defs/steps' });
