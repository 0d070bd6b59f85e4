import type { Json, JsonObject } from '../model/json.ts';
import { SOURCE_KINDS } from '../model/knowledge.ts';
import { MAX_COLLECTIONS, MAX_CONTENT, MAX_NAME } from '../model/knowledge-file.ts';
import { z } from '../model/zod.ts';
import type { RequestName, Requests } from './protocol.ts';

const MAX_SOURCE = 1_048_576;
const MAX_DRAFT = 100_000;

const json: z.ZodType<Json> = z.json();
const object: z.ZodType<JsonObject> = z.record(z.string(), json);
const nothing = z.strictObject({});
const id = z.string().min(1).max(200);
const path = z.string().min(1).max(2000);
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const comment = z.string().max(10_000).optional();

const command = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('decide'),
    runId: id,
    path,
    hash,
    decision: z.enum(['approved', 'rejected']),
    comment,
    edits: object.optional(),
    always: z.boolean().optional(),
  }),
  z.strictObject({ type: z.literal('edit'), runId: id, path, hash, edits: object }),
  z.strictObject({ type: z.literal('pause'), runId: id }),
  z.strictObject({ type: z.literal('resume'), runId: id }),
  z.strictObject({ type: z.literal('cancel'), runId: id, reason: comment }),
  z.strictObject({ type: z.literal('wake'), runId: id, path }),
  z.strictObject({ type: z.literal('signal'), runId: id, name: z.string().min(1).max(200), payload: json.optional() }),
  z.strictObject({ type: z.literal('retry'), runId: id, revision: z.enum(['same', 'newest']).optional() }),
  z.strictObject({
    type: z.literal('rerun'),
    runId: id,
    from: path,
    revision: z.enum(['same', 'newest']).optional(),
  }),
  z.strictObject({
    type: z.literal('recover'),
    runId: id,
    path,
    decision: z.enum(['retry', 'done', 'fail']),
    output: json.optional(),
  }),
  z.strictObject({
    type: z.literal('review'),
    runId: id,
    path,
    hash,
    decision: z.enum(['accept', 'edit', 'request_changes', 'reject']),
    comment,
    content: json.optional(),
  }),
  z.strictObject({ type: z.literal('completeTask'), runId: id, path, data: object }),
  z.strictObject({
    type: z.literal('raiseBudget'),
    runId: id,
    tokens: z.number().positive().optional(),
    usd: z.number().positive().optional(),
  }),
]);

const modelSettings = z.strictObject({
  accounts: z
    .array(
      z.strictObject({
        id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/),
        provider: z.enum(['openai', 'anthropic', 'google', 'openai-compatible', 'browser']),
        baseUrl: z
          .url({ protocol: /^https?$/ })
          .max(2000)
          .optional(),
        hasKey: z.boolean(),
        api: z.enum(['chat', 'responses']).optional(),
        stream: z.boolean().optional(),
      }),
    )
    .max(50),
  names: z.record(z.string().min(1).max(100), z.string().min(1).max(300)),
  default: z.string().min(1).max(300).optional(),
  prices: z
    .record(z.string(), z.strictObject({ input: z.number().nonnegative(), output: z.number().nonnegative() }))
    .optional(),
});

const entryName = { kind: z.enum(['recipe', 'agent']), id: z.string().min(1).max(64) };

/** What each request's payload must be. Unknown keys are refused: a page of another version should say so, not be half understood. */
export const messageSchemas: { [K in RequestName]: z.ZodType<Requests[K]['in']> } = {
  'state.get': z.strictObject({ tabId: z.int().optional() }),
  'run.get': z.strictObject({ runId: id }),
  'writing.get': z.strictObject({ runId: id }),
  'run.start': z.strictObject({ workflowId: id, input: object, tabId: z.int().optional(), key: id.optional() }),
  'run.events': z.strictObject({ runId: id }),
  'command.send': z.strictObject({ commandId: id, command, surface: z.string().max(32) }),
  'approvals.decide': z.strictObject({
    decision: z.enum(['approved', 'rejected']),
    items: z
      .array(z.strictObject({ commandId: id, runId: id, path, hash }))
      .min(1)
      .max(1000),
    comment,
    surface: z.string().max(32),
  }),
  'rules.list': nothing,
  'rules.withdraw': z.strictObject({ ruleId: id }),
  'outbox.list': nothing,
  'outbox.dismiss': z.strictObject({ outboxId: id }),
  'engine.stopAll': z.strictObject({ lift: z.boolean() }),
  'workflow.import': z.strictObject({
    source: z.string().max(MAX_SOURCE),
    enable: z.boolean().optional(),
    draft: z.boolean().optional(),
  }),
  'workflow.check': z.strictObject({ source: z.string().max(MAX_SOURCE) }),
  'workflow.enable': z.strictObject({ workflowId: id, enabled: z.boolean() }),
  'workflow.prefer': z.strictObject({ runId: id, path }),
  'workflow.remove': z.strictObject({ workflowId: id }),
  'workflow.get': z.strictObject({ workflowId: id }),
  'entries.list': nothing,
  'entry.get': z.strictObject({ ...entryName, revision: hash.optional() }),
  'entry.check': z.strictObject({ source: z.string().max(MAX_SOURCE) }),
  'entry.save': z.strictObject({ source: z.string().max(MAX_SOURCE), as: z.strictObject(entryName).optional() }),
  'entry.remove': z.strictObject(entryName),
  'entry.try': z.strictObject({
    source: z.string().max(MAX_SOURCE),
    input: z.json(),
    goal: z.string().max(20_000).optional(),
    sites: z.array(z.string().max(2000)).max(100).optional(),
  }),
  'triggers.list': z.strictObject({ workflowId: id }),
  'trigger.switch': z.strictObject({
    workflowId: id,
    triggerId: id,
    on: z.boolean(),
    origin: z.string().max(2000).optional(),
  }),
  'trigger.dismiss': z.strictObject({ workflowId: id, triggerId: id }),
  'trigger.form': z.strictObject({
    workflowId: id,
    triggerId: id.optional(),
    tabId: z.int().optional(),
    form: id.optional(),
  }),
  'trigger.start': z.strictObject({
    workflowId: id,
    triggerId: id.optional(),
    input: object,
    tabId: z.int().optional(),
    form: id.optional(),
  }),
  'grants.missing': z.strictObject({ sites: z.array(z.string().max(2000)).max(1000) }),
  'grants.list': nothing,
  'mcp.get': nothing,
  'mcp.set': z.strictObject({
    servers: z.array(z.strictObject({ name: z.string().min(1).max(200), url: z.string().min(1).max(2000) })).max(100),
  }),
  'mcp.test': z.strictObject({ name: id }),
  'mcp.changes': nothing,
  'mcp.accept': z.strictObject({ server: id, tool: z.string().min(1).max(1000), hash: z.string().length(64) }),
  'bridge.get': nothing,
  'bridge.pair': z.strictObject({ code: z.string().min(1).max(100), label: z.string().max(200) }),
  'bridge.rename': z.strictObject({ label: z.string().max(200) }),
  'bridge.unpair': nothing,
  'models.get': nothing,
  'models.set': z.strictObject({
    settings: modelSettings,
    apiKey: z.string().max(10_000).optional(),
    account: id.optional(),
    base: modelSettings.optional(),
  }),
  'models.test': z.strictObject({ name: z.string().min(1).max(300).optional() }),
  'spending.get': nothing,
  'spending.set': z.strictObject({ usd: z.number().positive().max(1_000_000).nullable() }),
  'spending.raise': z.strictObject({ usd: z.number().positive().max(1_000_000) }),
  'consent.get': z.strictObject({ workflowId: id.optional(), entry: z.string().max(MAX_SOURCE).optional() }),
  'consent.set': z.strictObject({ account: id, given: z.boolean() }),
  'secrets.list': nothing,
  'secrets.set': z.strictObject({
    name: z.string().regex(/^(model:[A-Za-z0-9][A-Za-z0-9._-]{0,63}|[A-Za-z0-9_-]{1,100})$/),
    value: z.string().max(100_000).nullable(),
  }),
  'artifact.get': z.strictObject({ artifactId: id }),
  'blob.get': z.strictObject({ hash }),
  'draft.get': z.strictObject({ key: id }),
  'draft.set': z.strictObject({
    key: id,
    text: z.string().max(MAX_DRAFT),
    base: z.string().max(MAX_DRAFT).optional(),
    writer: id.optional(),
  }),
  'knowledge.list': nothing,
  'knowledge.get': z.strictObject({ documentId: id, revision: id.optional() }),
  'knowledge.search': z.strictObject({
    query: z.string().max(1000),
    limit: z.int().min(1).max(100),
    collection: id.optional(),
  }),
  'knowledge.add': z.strictObject({
    documents: z
      .array(
        z.strictObject({
          documentId: id.regex(/^[^#]/).optional(),
          title: z.string().min(1).max(MAX_NAME),
          content: z.string().max(MAX_CONTENT),
          collections: z.array(z.string().min(1).max(MAX_NAME)).max(MAX_COLLECTIONS),
          source: z.strictObject({ kind: z.enum(SOURCE_KINDS), name: z.string().max(2000).optional() }).optional(),
        }),
      )
      .min(1)
      .max(500),
    secrets: z.enum(['ask', 'mask', 'keep']),
  }),
  'knowledge.remove': z.strictObject({ documentId: id }),
  'knowledge.restore': z.strictObject({ documentId: id, revision: id.optional() }),
  'knowledge.page': z.strictObject({ tabId: z.int() }),
  'health.get': nothing,
  'doctor.get': nothing,
};
