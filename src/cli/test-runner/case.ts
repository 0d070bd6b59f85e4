import { createVirtualClock } from '../../adapters/memory/index.ts';
import { checkDefinition, checkEnvironment, checkInput, hasErrors } from '../../engine/preflight/index.ts';
import { hashJson } from '../../model/canonical.ts';
import { parseDuration } from '../../model/duration.ts';
import { verifyChain } from '../../model/events.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
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
  const definition = withLibrary(test.definition, test.recipes);
  const input = (test.input ?? {}) as JsonObject;
  const problems = await preflight(definition, input, test);
  const failures = compareProblems(test.expect, problems);
  if (hasErrors(problems)) {
    for (const [key, want] of Object.entries(test.expect.calls ?? {}))
      if (want !== 0) failures.push(`calls of ${key}: expected ${want}, found 0`);
    return failures;
  }
  if (test.expect.preflight) return failures;
  const workflow = definition as unknown as WorkflowDefinition;
  const clock = createVirtualClock(test.now === undefined ? START : Date.parse(test.now));
  const session = new Session(clock, (test.mocks ?? {}) as Record<string, JsonObject[]>);
  const revision: Revision = {
    workflowId: workflow.id,
    revision: hashJson(definition),
    definition: workflow,
    createdAt: clock.now(),
  };
  await session.store.saveWorkflow(
    {
      workflowId: workflow.id,
      name: workflow.name,
      revision: revision.revision,
      enabled: true,
      createdAt: clock.now(),
      updatedAt: clock.now(),
    },
    revision,
  );
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

function withLibrary(definition: Json, recipes: JsonObject): Json {
  if (!isObject(definition) || Object.keys(recipes).length === 0) return definition;
  return { ...definition, recipes: { ...recipes, ...(isObject(definition.recipes) ? definition.recipes : {}) } };
}

async function preflight(definition: Json, input: JsonObject, { profile, documents }: Case): Promise<Problem[]> {
  const problems = checkDefinition(definition, registry);
  if (hasErrors(problems)) return problems;
  const workflow = definition as unknown as WorkflowDefinition;
  problems.push(...checkInput(workflow, input));
  const models = profile?.models;
  const outside = await checkEnvironment(workflow, registry, {
    modelConfigured: (model) =>
      models === undefined || (model === undefined ? models.length > 0 : models.includes(model)),
    missingOrigins: (sites) => (profile?.grants ? sites.filter((site) => !profile.grants?.includes(site)) : []),
    secretNames: () => Object.keys(profile?.secrets ?? {}),
    missingDocuments: (names) => {
      const known = new Set(
        documents.flatMap(({ documentId, collections = [] }) => [documentId, ...collections.map((one) => `#${one}`)]),
      );
      return names.filter((name) => !known.has(name));
    },
  });
  return [...problems, ...outside];
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
