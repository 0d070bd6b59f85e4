import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { checkEntry } from '../../engine/entries/file.ts';
import { readWorkflowSource } from '../../engine/source/index.ts';
import { hashJson } from '../../model/canonical.ts';
import { isObject, type Json } from '../../model/json.ts';
import type { KnowledgeWrite } from '../../model/knowledge.ts';
import { type EntryDefinition, type EntryKind, nameOf } from '../../model/library.ts';
import { z } from '../../model/zod.ts';
import { registry } from '../../steps/index.ts';
import type { Surroundings } from './mocks.ts';

const record = z.record(z.string(), z.json());
const duration = z.union([z.string(), z.number()]);

const moment = z.union([
  z.strictObject({ step: z.string(), is: z.string() }),
  z.strictObject({ run: z.string() }),
  z.strictObject({ after: duration }),
]);

const caseSchema = z.strictObject({
  name: z.string(),
  now: z.string().optional(),
  input: record.optional(),
  workflow: z.json().optional(),
  library: record.optional(),
  profile: z
    .strictObject({
      roles: z.array(z.string()).optional(),
      grants: z.array(z.string()).optional(),
      models: z.array(z.string()).optional(),
      secrets: z.record(z.string(), z.string()).optional(),
      groups: z.json().optional(),
    })
    .optional(),
  mocks: z.record(z.string(), z.array(record)).optional(),
  script: z.array(z.strictObject({ when: moment, do: record })).optional(),
  until: z.strictObject({ step: z.string(), is: z.string() }).optional(),
  expect: z.strictObject({
    status: z.string().optional(),
    preflight: z.array(z.string()).optional(),
    error: z.string().optional(),
    output: z.json().optional(),
    steps: z.record(z.string(), record).optional(),
    calls: z.record(z.string(), z.number()).optional(),
    elapsed: z.strictObject({ min: duration.optional(), max: duration.optional() }).optional(),
    warnings: z.array(z.string()).optional(),
    runs: z.number().optional(),
  }),
});

const fileSchema = z.strictObject({
  workflow: z.json().optional(),
  library: record.optional(),
  cases: z.array(caseSchema).min(1),
});

/** A case of a workflow test file (SPEC §10). */
export type TestCase = z.infer<typeof caseSchema>;
export type Moment = z.infer<typeof moment>;

/** What a case's library holds, as far as this version uses it. */
export interface Library {
  definitions: EntryDefinition[];
  mcpServers: Surroundings['servers'];
}

export interface TestFile {
  file: string;
  cases: (TestCase & { definition: Json; entries: Library; workflows: Json[]; documents: KnowledgeWrite[] })[];
}

/**
 * Reads a test file and the workflow it names.
 * @throws Error whose message says what is wrong with the file, and where
 */
export async function readTestFile(file: string): Promise<TestFile> {
  const value = await readYaml(file);
  const parsed = fileSchema.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new Error(`${file}: ${issue?.path.map(String).join('.') || 'the file'} does not fit: ${issue?.message}`);
  }
  const { workflow, library, cases } = parsed.data;
  return {
    file,
    cases: await Promise.all(
      cases.map(async (test) => ({
        ...test,
        script: await scriptOf(file, test.script),
        definition: await definitionOf(file, test.workflow ?? workflow),
        workflows: await workflowsOf(file, { ...library, ...test.library }),
        entries: await libraryOf({ ...library, ...test.library }, file),
        documents: documentsOf(file, { ...library, ...test.library }),
      })),
    ),
  };
}

async function readYaml(file: string): Promise<Json> {
  const source = readWorkflowSource(await readFile(file, 'utf8'), { name: file });
  const problem = source.problems[0];
  if (source.value === undefined)
    throw new Error(`${file}:${problem?.line ?? 1}:${problem?.column ?? 1} ${problem?.message ?? 'it cannot be read'}`);
  return source.value;
}

async function definitionOf(file: string, workflow: Json | undefined): Promise<Json> {
  if (workflow === undefined)
    throw new Error(`${file}: a case has no workflow; name one at the top of the file or in the case`);
  return typeof workflow === 'string' ? readYaml(resolve(dirname(file), workflow)) : workflow;
}

/** A script with the definitions in place that its `saveWorkflow` names by their files. */
async function scriptOf(file: string, script: TestCase['script']): Promise<TestCase['script']> {
  if (!script) return undefined;
  return Promise.all(
    script.map(async (entry) => {
      const { saveWorkflow } = entry.do;
      if (typeof saveWorkflow !== 'string') return entry;
      return { ...entry, do: { ...entry.do, saveWorkflow: await definitionOf(file, saveWorkflow) } };
    }),
  );
}

const serversSchema = z.record(
  z.string(),
  z.strictObject({
    reachable: z.boolean().optional(),
    tools: z
      .array(
        z.strictObject({
          name: z.string(),
          title: z.string().optional(),
          description: z.string().optional(),
          inputSchema: record.default({}),
          outputSchema: record.optional(),
          annotations: z.record(z.string(), z.json()).optional(),
        }),
      )
      .default([]),
  }),
);

async function libraryOf(library: Record<string, Json>, file: string): Promise<Library> {
  const servers = serversSchema.safeParse(library.mcpServers ?? {});
  if (!servers.success) {
    const [issue] = servers.error.issues;
    throw new Error(`${file}: library.mcpServers.${issue?.path.map(String).join('.')} does not fit: ${issue?.message}`);
  }
  return {
    definitions: [
      ...(await entriesIn(library.recipes, 'recipe', file)),
      ...(await entriesIn(library.agents, 'agent', file)),
    ],
    mcpServers: servers.data as Surroundings['servers'],
  };
}

/**
 * Recipes or agents of the library, as a workflow file has them or by the names of files of their own.
 * @throws Error whose message says what is wrong with one
 */
async function entriesIn(listed: Json | undefined, kind: EntryKind, file: string): Promise<EntryDefinition[]> {
  if (!isObject(listed)) return [];
  return Promise.all(
    Object.entries(listed).map(async ([id, written]) => {
      const where = `${file}: library.${kind}s.${id}`;
      const head = { format: 'tabloom/v1', name: id, [kind]: id };
      const entry =
        typeof written === 'string'
          ? await readYaml(resolve(dirname(file), written))
          : { ...head, ...(isObject(written) ? written : {}) };
      const [problem] = checkEntry(entry, registry).filter(({ severity }) => severity === 'error');
      if (problem) throw new Error(`${where}${problem.pointer.replaceAll('/', '.')} does not fit: ${problem.message}`);
      const definition = entry as unknown as EntryDefinition;
      const named = nameOf(definition);
      if (named.kind !== kind || named.id !== id)
        throw new Error(`${where} does not fit: the file is of the ${named.kind} "${named.id}"`);
      return definition;
    }),
  );
}

/** Definitions of the library's workflows, in place or by the names of their files. */
async function workflowsOf(file: string, library: Record<string, Json>): Promise<Json[]> {
  const listed = Array.isArray(library.workflows) ? library.workflows : [];
  return Promise.all(listed.map((one) => definitionOf(file, one)));
}

const documentsSchema = z.record(
  z.string(),
  z.strictObject({
    title: z.string().optional(),
    content: z.string(),
    collection: z.string().optional(),
    collections: z.array(z.string()).optional(),
  }),
);

/** The knowledge base as a case finds it. @throws Error whose message says what is wrong with it */
function documentsOf(file: string, library: Record<string, Json>): KnowledgeWrite[] {
  const parsed = documentsSchema.safeParse(library.documents ?? {});
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const where = ['library.documents', ...(issue?.path.map(String) ?? [])].join('.');
    throw new Error(`${file}: ${where} does not fit: ${issue?.message}`);
  }
  return Object.entries(parsed.data).map(([documentId, { title, content, collection, collections = [] }]) => ({
    documentId,
    revision: hashJson({ documentId, content }),
    mode: 'replace',
    ...(title !== undefined && { title }),
    content,
    collections: collection === undefined ? collections : [collection, ...collections],
    at: 0,
  }));
}
