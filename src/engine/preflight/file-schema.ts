import { durationSchema } from '../../model/duration.ts';
import { EFFECTS } from '../../model/effect.ts';
import { z } from '../../model/zod.ts';
import { conditionSchema } from './condition-schema.ts';

/** SPEC §3. */
export const STEP_ID = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
/** SPEC §1. */
const WORKFLOW_ID = /^[a-z0-9][a-z0-9-]{0,63}$/;

const jsonSchema = z.record(z.string(), z.unknown());
const steps = z
  .array(z.record(z.string(), z.unknown()))
  .min(1, 'a list of at least one step')
  .meta({ $ref: '#/$defs/steps' });

const retry = z.strictObject({
  maxAttempts: z.number().int().min(1).max(20).optional(),
  backoff: z.enum(['exponential', 'linear', 'none']).optional(),
  delay: durationSchema(0, '5m').optional(),
  maxDelay: durationSchema(0, '1h').optional(),
  jitter: z.boolean().optional(),
  on: z.array(z.string()).optional(),
});

const edge = z.strictObject({
  step: z.string(),
  when: conditionSchema.optional(),
  output: z.string().optional(),
  input: z.string().optional(),
});

/** Keys that every step may have (SPEC §4). */
export const COMMON_KEYS = {
  id: z.string().regex(STEP_ID, 'a name of letters, digits, _ and -, that does not begin with a digit'),
  type: z.string(),
  name: z.string().optional(),
  dependsOn: z.array(z.union([z.string(), edge])).optional(),
  join: z.literal('all').optional(),
  when: conditionSchema.optional(),
  timeout: durationSchema('1s', '24h').optional(),
  retry: retry.optional(),
  onError: z.enum(['fail', 'skip', 'continue']).optional(),
  fallback: z
    .union([
      z.strictObject({ value: z.unknown() }),
      z.strictObject({ steps }),
      z.strictObject({ cached: z.literal(true) }),
    ])
    .optional(),
  inputSchema: jsonSchema.optional(),
  outputSchema: jsonSchema.optional(),
  cache: z.strictObject({ ttl: durationSchema('1s', '365d'), key: z.unknown().optional() }).optional(),
  compensate: steps.optional(),
  effect: z.enum(EFFECTS).optional(),
  onInterrupted: z.enum(['retry', 'ask', 'fail']).optional(),
  verify: z.strictObject({ steps, done: conditionSchema }).optional(),
} as const satisfies z.ZodRawShape;

/** Keys of a recipe, in a workflow file and in a file of its own. */
export const RECIPE_KEYS = {
  system: z.string().optional(),
  prompt: z.string(),
  inputSchema: jsonSchema.optional(),
  outputSchema: jsonSchema.optional(),
  model: z.string().optional(),
  temperature: z.number().min(0).max(2).optional(),
  maxTokens: z.number().int().min(1).optional(),
} as const satisfies z.ZodRawShape;

/** Keys of an agent's profile, in a workflow file and in a file of its own. */
export const AGENT_KEYS = {
  instructions: z.string().min(1),
  model: z.string().optional(),
  tools: z.array(z.string()).optional(),
  maxTurns: z.number().int().min(1).max(200).optional(),
  maxTokens: z.number().int().min(1).optional(),
} as const satisfies z.ZodRawShape;

/** The file's own keys (SPEC §1). Steps are looked at one by one, against their own types. */
export const FILE_KEYS = {
  format: z.literal('tabloom/v1'),
  id: z.string().regex(WORKFLOW_ID, 'lower-case letters, digits and -, at most 64'),
  name: z.string().min(1),
  description: z.string().optional(),
  inputs: jsonSchema.optional(),
  sites: z.array(z.string()).optional(),
  context: z.array(z.string()).optional(),
  timeout: durationSchema('1s', '24h').optional(),
  onFailure: z.enum(['stop', 'finish', 'rollback']).optional(),
  budget: z
    .strictObject({
      tokens: z.number().int().min(1).optional(),
      usd: z.number().positive().optional(),
      onExceeded: z.enum(['ask', 'fail']).optional(),
    })
    .optional(),
  secretPolicy: z.enum(['block', 'redact']).optional(),
  defaults: z.strictObject({ timeout: durationSchema('1s', '24h').optional(), retry: retry.optional() }).optional(),
  recipes: z.record(z.string(), z.strictObject(RECIPE_KEYS)).optional(),
  agents: z.record(z.string(), z.strictObject(AGENT_KEYS)).optional(),
  triggers: z.array(z.record(z.string(), z.unknown())).optional(),
  steps,
  output: z.unknown().optional(),
} as const satisfies z.ZodRawShape;
