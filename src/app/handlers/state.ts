import { siteAllows } from '../../engine/values/sites.ts';
import { FINAL_RUN, type RunRow, type RunStatus, type WaitKind } from '../../model/run.ts';
import { CLIENT_SESSION } from '../../steps/client-session.ts';
import { recoveryAsked } from '../../view/recovery.ts';
import type { App, Handlers } from '../app.ts';
import type { SurfaceState, WorkflowSummary } from '../protocol.ts';

const HISTORY = 50;
const LIVE: RunStatus[] = ['queued', 'running', 'waiting', 'paused'];

/** Waits for a person that are no approval, under the names that surfaces know. The others end by themselves or by a *wake*. */
const OTHER_WAITS: Partial<Record<WaitKind, string>> = {
  recovery: 'recovery',
  permission: 'permission',
  budget: 'budget',
  review: 'review',
  task: 'task',
  tool_change: 'tool_change',
  timer: 'wait',
  signal: 'wait',
  page: 'wait',
};

/** What the surfaces show at once, and the emergency stop. */
export function stateHandlers(app: App): Pick<Handlers, 'state.get' | 'engine.stopAll'> {
  const { store, engine } = app;
  return {
    async 'state.get'({ tabId }) {
      const [approvals, live, history, workflows, model] = await Promise.all([
        store.approvals({ status: 'pending' }),
        store.runs({ status: LIVE }),
        store.runs({ status: [...FINAL_RUN], limit: HISTORY, outermost: true }),
        app.library.summaries(),
        app.models.summary(),
      ]);
      const byId = new Map(live.map((run) => [run.runId, run]));
      app.attention.seen();
      app.storage.probe(app.clock.now());
      return {
        stopped: engine.emergency,
        approvals: approvals.map((row) => fromOutside(row, byId.get(row.runId))),
        live: live.filter((run) => !run.parent).map(light),
        history: history.map(light),
        workflows,
        model,
        now: app.clock.now(),
        ...(app.storage.fault && { storage: app.storage.fault }),
        ...(await triggersOf(app, tabId)),
        forTab: tabId === undefined ? [] : await fitting(app, tabId, workflows),
        waiting: (await Promise.all(live.map((run) => waitsOf(app, run)))).flat(),
      };
    },
    async 'engine.stopAll'({ lift }) {
      await engine.emergencyStop(!lift);
      app.attention.show();
      if (lift) void app.pageWaits.lookAtAll().catch(() => undefined);
      app.updates.push(['runs', 'settings']);
      return { stopped: engine.emergency };
    },
  };
}

/** Something in a run that was called, as the outermost run has it: the one that the lists show. */
function fromOutside<T extends { runId: string; path: string }>(row: T, run: RunRow | undefined): T {
  const { parent } = run ?? {};
  return parent ? { ...row, runId: parent.root, path: `${parent.prefix}/${row.path}` } : row;
}

/** Lists of runs show no raw inputs (SPEC §6, *Secrets*), no outputs, and not what was filled in. */
function light({ output: _, inputRef: __, outputRef: ___, ...run }: RunRow): RunRow {
  const { tabs, ...rest } = run;
  if (!tabs) return { ...rest, input: {} };
  return { ...rest, input: {}, tabs: { ...tabs, list: tabs.list.map(({ fields: ____, ...tab }) => tab) } };
}

/** Workflows for the page in a tab. Its address is known only where the person has granted the site, or has just clicked us. */
async function fitting(app: App, tabId: number, workflows: WorkflowSummary[]): Promise<string[]> {
  const url = await app.browser.tabs.get(tabId).then(
    (tab) => tab.url,
    () => undefined,
  );
  if (url === undefined) return [];
  return workflows
    .filter(({ enabled, sites }) => enabled && siteAllows(sites, url))
    .map(({ workflowId }) => workflowId);
}

/** What triggers offer on the page in a tab, and what they have to say. */
async function triggersOf(
  { triggers }: App,
  tabId: number | undefined,
): Promise<Pick<SurfaceState, 'offers' | 'triggerNotes'>> {
  const offers = tabId === undefined ? [] : await triggers.desk.offers(tabId);
  const notes = triggers.desk.notes();
  return { ...(offers.length > 0 && { offers }), ...(notes.length > 0 && { triggerNotes: notes }) };
}

async function waitsOf(app: App, run: RunRow): Promise<SurfaceState['waiting']> {
  if (!run.waitingFor.some((kind) => OTHER_WAITS[kind])) return [];
  // A client that asks for nothing at the moment: there is nothing that a person could do about it.
  if (run.workflowId === CLIENT_SESSION && run.waitingFor.includes('signal')) return [];
  return (await app.store.steps(run.runId)).flatMap(({ path, name, status, wait }) => {
    const kind = status === 'waiting' && wait ? OTHER_WAITS[wait.kind] : undefined;
    if (!wait || kind === undefined) return [];
    return [
      {
        ...fromOutside({ runId: run.runId, path }, run),
        name,
        kind,
        reason: wait.reason ?? '',
        ...(wait.subject === undefined ? {} : { subject: wait.subject }),
        ...(wait.data === undefined ? {} : { data: wait.data }),
        ...(kind === 'recovery' ? recoveryAsked(wait) : {}),
      },
    ];
  });
}
