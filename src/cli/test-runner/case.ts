import { createVirtualClock } from '../../adapters/memory/index.ts';
import { type Callable, parseReference } from '../../engine/children/pins.ts';
import { withEntries } from '../../engine/entries/link.ts';
import { compilePlan } from '../../engine/plan.ts';
import { checkCalls } from '../../engine/preflight/children.ts';
import { checkDefinition, checkEnvironment, checkInput, hasErrors } from '../../engine/preflight/index.ts';
import { hashJson } from '../../model/canonical.ts';
import { parseDuration } from '../../model/duration.ts';
import { verifyChain } from '../../model/events.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { type Entries, entriesOf } from '../../model/library.ts';
import { FINAL_RUN } from '../../model/run.ts';
import type { Problem, Revision, WorkflowDefinition } from '../../model/workflow.ts';
import { registry } from '../../steps/index.ts';
import { act } from './act.ts';
import { compareProblems, compareRun } from './expect.ts';
import type { Moment, TestCase, TestFile } from './file.ts';
import { Session } from './session.ts';

/** Virtual time at which a case begins when it does not say. */
const START = Date.parse('2026-01-01T00:00:00Z');
/** Moves of the clock after which a case is taken to run for ever. */
const MAX_MOVES = 200_000;

type Case = TestFile['cases'][number];

/** Runs one case; returns what failed, nothing when it passed. */
export async function runCase(test: Case): Promise<string[]> {
  const { definition } = test;
  const input = (test.input ?? {}) as JsonObject;
  const library = test.workflows as unknown as WorkflowDefinition[];
  const problems = await preflight(definition, input, test, library);
  const failures = compareProblems(test.expect, problems);
  if (hasErrors(problems)) {
    for (const [key, want] of Object.entries(test.expect.calls ?? {}))
      if (want !== 0) failures.push(`calls of ${key}: expected ${want}, found 0`);
    return failures;
  }
  if (test.expect.preflight) return failures;
  const workflow = definition as unknown as WorkflowDefinition;
  const known = entriesOf(test.entries.definitions);
  const clock = createVirtualClock(test.now === undefined ? START : Date.parse(test.now));
  const session = new Session(clock, (test.mocks ?? {}) as Record<string, JsonObject[]>, {
    agents: [workflow, ...library.filter((one) => isGood(one, known))].flatMap((one) =>
      agentsOf(withEntries(one, known)),
    ),
    servers: test.entries.mcpServers,
  });
  session.entries = known;
  for (const entry of test.entries.definitions) await session.saveEntry(entry);
  const revision = await session.save(workflow);
  for (const child of library) if (child.id !== workflow.id) await session.save(child);
  for (const document of test.documents) await session.store.addKnowledge(document);
  try {
    failures.push(...(await play(session, test, revision, input)));
    failures.push(...(await compareRun(session, test.expect)));
    const broken = verifyChain(await session.store.events(session.runId));
    if (broken) failures.push(`the event chain is broken at ${broken.seq}: ${broken.reason}`);
  } finally {
    session.engine.dispose();
  }
  return failures;
}

/** Whether a workflow of the library could run. */
function isGood(workflow: WorkflowDefinition, entries: Entries): boolean {
  return !hasErrors(checkDefinition(workflow as unknown as Json, registry, entries));
}

/** Ids of the steps whose mocks are those of an agent. */
function agentsOf(workflow: WorkflowDefinition): string[] {
  return [...compilePlan(workflow, '', registry).steps.values()].filter((step) => step.calls).map((step) => step.id);
}

async function preflight(
  definition: Json,
  input: JsonObject,
  { profile, entries, documents }: Case,
  library: WorkflowDefinition[],
): Promise<Problem[]> {
  const known = entriesOf(entries.definitions);
  const problems = checkDefinition(definition, registry, known);
  const workflow = withEntries(definition as unknown as WorkflowDefinition, known);
  const find = (reference: string) => called(library, reference, known);
  if (hasErrors(problems)) {
    // Told together with what is wrong in the file, where that lets its steps be seen.
    const shaped = problems.every(({ code }) => code !== 'schema_invalid');
    return shaped ? [...problems, ...(await checkCalls(workflow, registry, find)).problems] : problems;
  }
  problems.push(...checkInput(workflow, input));
  const models = profile?.models;
  const outside = await checkEnvironment(workflow, registry, {
    modelConfigured: (model) =>
      models === undefined || (model === undefined ? models.length > 0 : models.includes(model)),
    missingOrigins: (sites) => (profile?.grants ? sites.filter((site) => !profile.grants?.includes(site)) : []),
    secretNames: () => Object.keys(profile?.secrets ?? {}),
    workflow: find,
    missingDocuments: (names) => {
      const known = new Set(
        documents.flatMap(({ documentId, collections = [] }) => [documentId, ...collections.map((one) => `#${one}`)]),
      );
      return names.filter((name) => !known.has(name));
    },
    mcpTools: async (name) => {
      const server = Object.hasOwn(entries.mcpServers, name) ? entries.mcpServers[name] : undefined;
      return server?.reachable === false ? undefined : server?.tools;
    },
  });
  return [...problems, ...outside];
}

/** A workflow of the library; one with errors is there, but switched off. */
function called(library: readonly WorkflowDefinition[], reference: string, entries: Entries): Callable | undefined {
  const { id, revision: wanted } = parseReference(reference);
  const definition = library.find((one) => isObject(one as unknown as Json) && one.id === id);
  if (!definition) return undefined;
  const revision = hashJson(definition as unknown as Json);
  if (wanted !== undefined && !revision.startsWith(wanted)) return undefined;
  return { revision, definition: withEntries(definition, entries), enabled: isGood(definition, entries) };
}

/** Starts the run and plays the script, each entry at its moment, then lets the clock run on until nothing is due. */
async function play(session: Session, test: Case, revision: Revision, input: JsonObject): Promise<string[]> {
  const failures: string[] = [];
  const roles = test.profile?.roles ?? ['owner'];
  const began = session.clock.now();
  const refused = await session.start(revision, input);
  if (!refused.ok) return [`the start was refused: ${refused.code}`];
  const script = [...(test.script ?? [])];
  for (let moves = 0; moves < MAX_MOVES; moves++) {
    await session.settle();
    if (test.until && script.length === 0 && (await holds(session, test.until, began))) return failures;
    const next = script[0];
    if (next && (await holds(session, momentOf(next), began))) {
      script.shift();
      const { expectError, ...what } = next.do as JsonObject;
      const code = await act(session, what, revision, input, roles).catch(
        (error: unknown) => `(${error instanceof Error ? error.message : String(error)})`,
      );
      if (code !== expectError)
        failures.push(
          `${JSON.stringify(what)}: expected ${expectError ?? 'no refusal'}, found ${code ?? 'no refusal'}`,
        );
      continue;
    }
    const ended = FINAL_RUN.includes((await session.run())?.status ?? 'failed');
    const due = ended && !script.some((entry) => 'after' in entry.when) ? undefined : session.clock.next();
    const after = next && 'after' in next.when ? began + (parseDuration(next.when.after) ?? 0) : undefined;
    const to = Math.min(due ?? Number.POSITIVE_INFINITY, after ?? Number.POSITIVE_INFINITY);
    if (!Number.isFinite(to)) {
      for (const entry of script) failures.push(`its moment never came: ${JSON.stringify(entry.when)}`);
      return failures;
    }
    session.clock.advanceTo(Math.max(to, session.clock.now()));
  }
  return [...failures, 'the case does not come to an end'];
}

/** `{crash, during}` waits for that step to be at work. */
function momentOf(entry: NonNullable<TestCase['script']>[number]): Moment[] {
  const during = (entry.do as JsonObject).during;
  return typeof during === 'string' ? [entry.when, { step: during, is: 'running' }] : [entry.when];
}

async function holds(session: Session, moment: Moment | Moment[], began: number): Promise<boolean> {
  if (Array.isArray(moment)) {
    for (const one of moment) if (!(await holds(session, one, began))) return false;
    return true;
  }
  if ('after' in moment) return session.clock.now() >= began + (parseDuration(moment.after) ?? 0);
  if ('run' in moment) return (await session.run())?.status === moment.run;
  return ((await session.step(moment.step))?.status ?? 'pending') === moment.is;
}
