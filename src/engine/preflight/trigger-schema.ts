import { durationSchema } from '../../model/duration.ts';
import { CONCURRENCY, MENU_PLACES, type TriggerType } from '../../model/triggers.ts';
import { z } from '../../model/zod.ts';
import { isZone, parseCron } from '../triggers/cron.ts';

/** As of a step: what a start key and a message can name. */
const TRIGGER_ID = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

const common = {
  id: z.string().regex(TRIGGER_ID, 'a name of letters, digits, _ and -, that does not begin with a digit'),
  input: z.record(z.string(), z.unknown()).optional(),
  concurrency: z.enum(CONCURRENCY).optional(),
  debounce: durationSchema(0, '1h').optional(),
};

const cron = z.string().superRefine((text, context) => {
  try {
    parseCron(text);
  } catch (thrown) {
    context.addIssue({ code: 'custom', message: (thrown as Error).message });
  }
});

/** The shape of each trigger type (SPEC §9). */
export const TRIGGER_SCHEMAS: { readonly [K in TriggerType]: z.ZodType } = {
  manual: z.strictObject({ ...common, type: z.literal('manual') }),
  page: z.strictObject({
    ...common,
    type: z.literal('page'),
    match: z.array(z.string()).min(1, 'write at least one match pattern'),
    selector: z.string().min(1, 'write a CSS selector, or leave the key out').optional(),
    auto: z.boolean().optional(),
    button: z.boolean().optional(),
  }),
  context_menu: z.strictObject({
    ...common,
    type: z.literal('context_menu'),
    on: z
      .array(z.enum(MENU_PLACES))
      .min(1, `write at least one of ${MENU_PLACES.join(', ')}`)
      .refine((places) => new Set(places).size === places.length, 'name each place once')
      .optional(),
  }),
  command: z.strictObject({
    ...common,
    type: z.literal('command'),
    slot: z.number().refine((slot) => Number.isInteger(slot) && slot >= 1 && slot <= 5, 'a whole number from 1 to 5'),
  }),
  schedule: z.strictObject({
    ...common,
    type: z.literal('schedule'),
    cron,
    timezone: z.string().refine(isZone, 'an IANA time zone such as Europe/Berlin or UTC').optional(),
    missed: z.enum(['skip', 'run_once']).optional(),
  }),
  omnibox: z.strictObject({
    ...common,
    type: z.literal('omnibox'),
    keyword: z.string().regex(/^[^\s]{1,64}$/, 'one word of at most 64 characters, without spaces'),
  }),
  mcp: z.strictObject({ ...common, type: z.literal('mcp') }),
  task_event: z.strictObject({
    ...common,
    type: z.literal('task_event'),
    event: z.literal('completed'),
    workflow: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'the id of a workflow: lower-case letters, digits and -, at most 64')
      .optional(),
  }),
};

/** What `trigger` may hold beside `type` and `id`, by type. */
export const TRIGGER_FIELDS: { readonly [K in TriggerType]: readonly string[] } = {
  manual: ['url', 'title'],
  page: ['url', 'title', 'matched'],
  context_menu: ['url', 'title', 'selection', 'linkUrl', 'srcUrl'],
  command: ['url', 'title'],
  schedule: ['scheduledAt'],
  omnibox: ['text'],
  mcp: [],
  task_event: ['taskId', 'workflow'],
};
