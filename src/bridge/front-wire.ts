import { callerSchema, instanceSchema, LINK_MESSAGE_MAX } from '../model/link.ts';
import { z } from '../model/zod.ts';

/**
 * What a front end (one per MCP client) and the hub say to each other over the hub's socket, one JSON value a line. Only processes of the
 * same OS user can open the socket, so there is no proof here.
 */

/** Changes with what older ones would misread: a front end that meets an older hub asks it to go, and starts its own. */
export const FRONT_VERSION = 1;
export const FRONT_LINE_MAX = LINK_MESSAGE_MAX + 64 * 1024;

const callId = z.string().min(1).max(100);

export const linkedSchema = z.strictObject({
  ...instanceSchema.shape,
  linked: z.boolean(),
  pairedAt: z.number(),
  lastSeenAt: z.number().optional(),
});
/** A browser that is paired, linked at the moment or not. */
export type LinkedBrowser = z.infer<typeof linkedSchema>;

export const fromFront = z.discriminatedUnion('t', [
  z.strictObject({ t: z.literal('hello'), v: z.int(), pid: z.int() }),
  z.strictObject({
    t: z.literal('call'),
    id: callId,
    key: z.uuid(),
    /** The profile that is asked. */
    instance: z.uuid(),
    caller: callerSchema,
    method: z.string().max(60),
    params: z.json(),
    /** How long to wait for a browser that is not linked at the moment, milliseconds. */
    patience: z.int().min(0).max(60_000),
  }),
  z.strictObject({ t: z.literal('cancel'), id: callId }),
  z.strictObject({ t: z.literal('browsers') }),
  z.strictObject({ t: z.literal('pair') }),
  z.strictObject({ t: z.literal('unpair'), instance: z.uuid() }),
  z.strictObject({ t: z.literal('status') }),
  z.strictObject({ t: z.literal('stop') }),
]);
export type FromFront = z.infer<typeof fromFront>;

export const hubStatusSchema = z.strictObject({
  pid: z.int(),
  version: z.string(),
  /** 0 when none of the candidates was free. */
  port: z.int(),
  fronts: z.int(),
  browsers: z.array(linkedSchema),
  startedAt: z.number(),
});
export type HubStatus = z.infer<typeof hubStatusSchema>;

export const fromHubToFront = z.discriminatedUnion('t', [
  z.strictObject({ t: z.literal('hello'), v: z.int(), version: z.string() }),
  z.strictObject({ t: z.literal('result'), id: callId, value: z.json() }),
  z.strictObject({
    t: z.literal('failed'),
    id: callId,
    error: z.strictObject({ code: z.string(), message: z.string(), details: z.json().optional() }),
    /**
     * The link broke after the call was handed over: whether it was carried out is not known here. Absent: the browser itself has
     * answered so, or the call never left.
     */
    lost: z.literal(true).optional(),
  }),
  z.strictObject({ t: z.literal('progress'), id: callId, progress: z.json() }),
  z.strictObject({ t: z.literal('changed'), instance: z.uuid(), what: z.array(z.string()) }),
  /** The list of browsers, as asked for and whenever it changes. */
  z.strictObject({ t: z.literal('browsers'), browsers: z.array(linkedSchema) }),
  z.strictObject({ t: z.literal('code'), code: z.string(), expiresAt: z.number(), port: z.int() }),
  z.strictObject({ t: z.literal('paired'), browser: linkedSchema }),
  /** The code has run out, or was tried wrongly too often. */
  z.strictObject({ t: z.literal('unpaired'), message: z.string() }),
  z.strictObject({ t: z.literal('done'), of: z.string() }),
  z.strictObject({ t: z.literal('status'), status: hubStatusSchema }),
]);
export type FromHubToFront = z.infer<typeof fromHubToFront>;
