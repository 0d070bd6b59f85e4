import { runsBelow, stepsOfTree } from '../../engine/children/tree.ts';
import { callsNewer } from '../../engine/newer/ready.ts';
import { checkInput } from '../../engine/preflight/index.ts';
import { siteAllows } from '../../engine/values/sites.ts';
import type { Command, CommandResult } from '../../model/commands.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { FINAL_RUN, type RunRow, type RunTabs, type StepRunRow } from '../../model/run.ts';
import type { WorkflowDefinition } from '../../model/workflow.ts';
import { outlineOf } from '../../view/outline.ts';
import { untilAlive } from '../alive.ts';
import type { App, Handlers } from '../app.ts';
import { resumeGranted } from '../granted.ts';
import type { Requests } from '../protocol.ts';

/** Values up to this many characters are put in place by `run.get`, and so many in all; the rest is asked for by `blob.get`. */
const INLINE = 262_144;
const INLINE_ALL = 8 * INLINE;

type Start = Requests['run.start'];
type StartPage = { url: string; title: string; tabs: RunTabs };
type Names = 'run.get' | 'writing.get' | 'run.start' | 'run.events' | 'command.send' | 'approvals.decide';

/** Starting, looking at and commanding runs. */
export function runHandlers(app: App): Pick<Handlers, Names> {
  const { store, engine, clock } = app;
  /** Starts with a key, one after another: two at the same moment must find each other. */
  const starting = new Map<string, Promise<unknown>>();

  return {
    async 'run.get'({ runId }) {
      const run = await store.run(runId);
      if (!run) return null;
      const [steps, approvals, artifacts] = await Promise.all([
        stepsOfTree(store, runId),
        store.approvals({ runId }),
        store.artifacts(runId),
      ]);
      for (const { runId: called, prefix } of await runsBelow(store, runId)) {
        for (const row of await store.approvals({ runId: called }))
          approvals.push({ ...row, runId, path: `${prefix}/${row.path}` });
        artifacts.push(...(await store.artifacts(called)));
      }
      const left = { characters: INLINE_ALL };
      const whole = await inflate(app, run, left);
      const filled: StepRunRow[] = [];
      for (const step of steps) filled.push(await inflate(app, step, left));
      const revision = await store.revision(run.revision);
      const outline = revision && outlineOf(revision.definition.steps, app.registry);
      const newer = FINAL_RUN.includes(run.status) ? await newerOf(app, run) : undefined;
      const storage = app.storage.fault;
      return {
        run: whole,
        steps: filled,
        approvals,
        artifacts,
        ...(outline && { outline }),
        ...(newer !== undefined && { newer }),
        ...(storage && { storage }),
      };
    },
    async 'writing.get'({ runId }) {
      const texts = app.writing.of(runId);
      for (const { runId: called, prefix } of await runsBelow(store, runId))
        texts.push(...app.writing.of(called).map((one) => ({ ...one, path: `${prefix}/${one.path}` })));
      return { texts };
    },
    'run.start'(payload) {
      if (payload.key === undefined) return startRun(app, payload);
      const place = `${payload.workflowId}\n${payload.key}`;
      const mine = (starting.get(place) ?? Promise.resolve()).then(
        () => startRun(app, payload),
        () => startRun(app, payload),
      );
      starting.set(place, mine);
      return mine.finally(() => {
        if (starting.get(place) === mine) starting.delete(place);
      });
    },
    async 'run.events'({ runId }) {
      return { events: await store.events(runId) };
    },
    async 'command.send'({ commandId, command, surface }) {
      const by = whoAt(surface);
      const again = command.type === 'rerun' || (command.type === 'retry' && command.revision === 'newest');
      const refusal = again ? await cannotGoOn(app, command) : undefined;
      if (refusal) return refusal;
      const result = await engine.send({ commandId, at: clock.now(), by, roles: await rolesOf(app), surface, command });
      // A grant given while the run was paused has not been looked at.
      if (result.ok && command.type === 'resume') await resumeGranted(app);
      return result;
    },
    async 'approvals.decide'({ decision, items, comment, surface }) {
      const roles = await rolesOf(app);
      const [at, by] = [clock.now(), whoAt(surface)];
      // Each is a decision of its own: one that is refused keeps none of the others back.
      const results = items.map(({ commandId, ...approval }) =>
        engine.send({
          commandId,
          at,
          by,
          roles,
          surface,
          command: { type: 'decide', decision, ...approval, ...(comment !== undefined && { comment }) },
        }),
      );
      return { results: await Promise.all(results) };
    },
  };
}

/** The workflow's newest revision, where that, or what it calls, is another one than the run's and could be started. */
async function newerOf(app: App, run: RunRow): Promise<string | undefined> {
  const row = await app.store.workflow(run.workflowId);
  if (!row?.enabled || row.draft) return undefined;
  if (row.revision !== run.revision) return row.revision;
  const retried = run.status === 'failed' || run.status === 'partial';
  return retried && (await callsNewer(app, run)) ? row.revision : undefined;
}

/** What the run would lack outside the file as it goes on; everything else the engine looks at itself. */
async function cannotGoOn(
  app: App,
  { type, runId, revision }: Extract<Command, { type: 'rerun' | 'retry' }>,
): Promise<CommandResult | undefined> {
  const named = await app.store.run(runId);
  // A retry is always of the outermost run.
  const outer = type === 'retry' ? named?.parent?.root : undefined;
  const run = outer === undefined ? named : await app.store.run(outer);
  const wanted =
    run && revision === 'newest'
      ? (await app.library.find(run.workflowId))?.revision
      : run && (await app.store.revision(run.revision));
  if (!wanted) return undefined;
  const problems = (await app.library.environment(wanted.definition)).filter(({ severity }) => severity === 'error');
  if (problems.length === 0) return undefined;
  return { ok: false, code: 'preflight_failed', message: problems.map(({ message }) => message).join(' ') };
}

/** The terminal speaks through one of our pages too, and the audit should say that it was the terminal. */
function whoAt(surface: string): string {
  return surface === 'cli' ? 'cli' : 'person';
}

/**
 * Starts a run after everything has been checked: the workflow, its input, what lies outside it.
 * @param trigger what started it; by default the person, by hand
 */
export async function startRun(
  app: Omit<App, 'triggers'>,
  { workflowId, input, tabId, key }: Start['in'],
  trigger?: JsonObject,
): Promise<Start['out']> {
  const { engine, store } = app;
  const known = key === undefined ? undefined : await store.runByStartKey(workflowId, key);
  const pinned = known && (await store.revision(known.revision));
  if (pinned) return started(await engine.start({ revision: pinned, input, trigger: known.trigger, key }));

  const stored = await app.library.find(workflowId);
  if (!stored) return refused('workflow_missing', `There is no workflow ${workflowId}; import or save it first.`);
  const { row, revision } = stored;
  if (row.draft) {
    const message = `Correct ${row.name} in the app before you start it: it is a draft with errors.`;
    return { refused: { code: 'preflight_failed', message, problems: app.library.problems(revision) } };
  }
  if (!row.enabled) return refused('workflow_disabled', `Switch on ${row.name} before you start it.`);
  const unfit = checkInput(revision.definition, input);
  const problems = [...unfit, ...(await app.library.environment(revision.definition))];
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) {
    const onlyInput = errors.length === unfit.length;
    return {
      refused: {
        code: onlyInput ? 'input_invalid' : 'preflight_failed',
        message: errors.map(({ message }) => message).join(' '),
        problems,
      },
    };
  }
  const tab = tabId === undefined ? undefined : await pageOf(app, tabId, revision.definition.sites ?? []);
  const by = trigger ?? byHand(revision.definition, tab);
  return started(await engine.start({ revision, input, trigger: by, key, ...(tab && { tabs: tab.tabs }) }));
}

/** The root `trigger` of a run that is started by hand, on a page or without one. */
export function byHand(
  { triggers }: Pick<WorkflowDefinition, 'triggers'>,
  page?: { url: string; title: string },
): JsonObject {
  const own = triggers?.find(({ type }) => type === 'manual');
  return { type: 'manual', ...(own && { id: own.id }), ...(page && { url: page.url, title: page.title }) };
}

function started(result: Awaited<ReturnType<App['engine']['start']>>): Start['out'] {
  return result.ok
    ? { runId: result.runId }
    : { refused: { code: result.code, message: result.message, problems: result.problems ?? [] } };
}

function refused(code: string, message: string): Start['out'] {
  return { refused: { code, message, problems: [] } };
}

/** The page a run is started on, as its tab `t1`; `undefined` where the workflow may not touch it: then nothing of it reaches the run. */
async function pageOf(app: Omit<App, 'triggers'>, tabId: number, sites: string[]): Promise<StartPage | undefined> {
  const page = await touchable(app, tabId, sites);
  // A worker that is being ended is told nothing of any tab, and must not start the run without its page.
  if (!page) await untilAlive(app.browser, app.clock);
  return page;
}

async function touchable(app: Omit<App, 'triggers'>, tabId: number, sites: string[]): Promise<StartPage | undefined> {
  const tab = await app.browser.tabs.get(tabId).catch(() => undefined);
  if (!tab?.url || !siteAllows(sites, tab.url) || !(await app.grants.covers(new URL(tab.url).origin))) return undefined;
  const { url, title = '', windowId } = tab;
  const first = {
    tab: 't1',
    browserTabId: tabId,
    session: app.session,
    url,
    title,
    ...(windowId === undefined ? {} : { windowId }),
  };
  return { url, title, tabs: { list: [first], current: 't1', next: 2 } };
}

/** The person's roles (SPEC §1, *profile*). */
async function rolesOf(app: App): Promise<string[]> {
  const roles = (await app.store.setting('profile'))?.roles;
  return Array.isArray(roles) ? roles.filter((role): role is string => typeof role === 'string') : ['owner'];
}

/** A row with its large values in place, as far as there is room. */
async function inflate<T extends RunRow | StepRunRow>(app: App, row: T, left: { characters: number }): Promise<T> {
  const whole = { ...row };
  for (const field of ['input', 'output'] as const) {
    const ref = row[`${field}Ref`];
    if (!ref || ref.size > INLINE || ref.size > left.characters) continue;
    const text = await app.store.blob(ref.hash);
    if (text === undefined) continue;
    left.characters -= ref.size;
    Object.assign(whole, { [field]: JSON.parse(text) as Json });
    delete whole[`${field}Ref`];
  }
  return whole;
}
