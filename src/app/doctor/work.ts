import { baseUrlOf, needsKey } from '../../adapters/llm/index.ts';
import { verifyChain } from '../../model/events.ts';
import { chooseModel } from '../../model/model-choice.ts';
import type { RunRow, RunStatus, WaitKind } from '../../model/run.ts';
import type { AlarmFacts, GrantFacts, JournalFacts, ModelFacts, RunFacts } from '../../view/doctor/facts.ts';
import { alarmsWrong } from '../../view/doctor/judge-work.ts';
import type { App } from '../app.ts';
import { DUE_ALARM, type Schedule, WATCHDOG_ALARM } from '../schedule.ts';

const UNFINISHED: RunStatus[] = ['queued', 'running', 'waiting', 'paused'];
/** Runs whose journals are checked, newest first, and for how long at most, milliseconds. */
const JOURNALS = 20;
const JOURNAL_TIME = 5000;
/** Setting an alarm, and writing down what a run does, takes a moment: what looks wrong is looked at again after this long. */
const SECOND_LOOK = 1500;

/** Checks the hash chains of the last runs, and that none of their last events is missing. */
export async function journalFacts({ store, clock }: Pick<App, 'store' | 'clock'>): Promise<JournalFacts> {
  const end = clock.now() + JOURNAL_TIME;
  const runs = await store.runs({ limit: JOURNALS });
  const broken: JournalFacts['broken'] = [];
  let checked = 0;
  for (const { runId } of runs) {
    if (clock.now() >= end) break;
    // The row first: what is committed meanwhile makes the journal longer, never shorter.
    const row = await store.run(runId);
    if (!row) continue;
    const events = await store.events(runId);
    const fault = verifyChain(events);
    const atRow = events[row.seq - 1];
    if (fault) broken.push({ runId, seq: fault.seq });
    else if (atRow?.hash !== row.head) broken.push({ runId, seq: Math.min(row.seq, events.length + 1) });
    checked += 1;
  }
  return { checked, cut: checked < runs.length, broken };
}

/** What is granted, and what is not though a workflow that is on, or an unfinished run, needs it. */
export async function grantFacts({ grants, store, library }: Pick<App, 'grants' | 'store' | 'library'>) {
  const missing = new Map<string, GrantFacts['missing'][number]>();
  const need = (origin: string) => {
    const known = missing.get(origin) ?? { origin, workflows: [], runs: [], waiting: false };
    missing.set(origin, known);
    return known;
  };
  for (const { workflowId, enabled, sites } of await library.summaries()) {
    if (!enabled) continue;
    for (const origin of await grants.missing(sites)) need(origin).workflows.push(workflowId);
  }
  for (const run of await store.runs({ status: UNFINISHED })) {
    for (const { wait } of run.waitingFor.includes('permission') ? await store.steps(run.runId) : []) {
      if (wait?.kind !== 'permission' || !wait.subject || (await grants.covers(wait.subject))) continue;
      const lack = need(wait.subject);
      lack.waiting = true;
      lack.runs.push(run.runId);
    }
    const sites = (await store.revision(run.revision))?.definition.sites ?? [];
    for (const origin of await grants.missing(sites)) need(origin).runs.push(run.runId);
  }
  return { granted: await grants.list(), missing: [...missing.values()] } satisfies GrantFacts;
}

/** Accounts and names as they are set up. Whether there is a key is told, what it is is not looked at. */
export async function modelFacts({ models, library }: Pick<App, 'models' | 'library'>): Promise<ModelFacts> {
  const settings = await models.get();
  const unmetModel: string[] = [];
  const unmetSecret: string[] = [];
  for (const { workflowId, enabled } of await library.summaries()) {
    const stored = enabled ? await library.find(workflowId) : undefined;
    const codes = stored ? (await library.environment(stored.revision.definition, false)).map(({ code }) => code) : [];
    if (codes.includes('model_not_configured')) unmetModel.push(workflowId);
    if (codes.includes('secret_missing')) unmetSecret.push(workflowId);
  }
  const choice = chooseModel(settings, undefined);
  return {
    accounts: settings.accounts.map((account) => ({
      id: account.id,
      provider: account.provider,
      hasKey: account.hasKey,
      needsKey: needsKey(account),
      hasAddress: account.provider === 'browser' || baseUrlOf(account) !== '',
    })),
    ...(settings.default === undefined ? {} : { default: settings.default }),
    ...(choice ? { defaultAccount: choice.account.id } : {}),
    unmetModel,
    unmetSecret,
  };
}

/** The alarms that are set, and what should be. */
export async function alarmFacts({ browser, clock }: Pick<App, 'browser' | 'clock'>, schedule: Schedule) {
  const look = async (): Promise<AlarmFacts> => {
    const alarms = await browser.alarms.getAll();
    const wakeAt = alarms.find(({ name }) => name === DUE_ALARM)?.scheduledTime;
    const { due, running } = schedule.state;
    return {
      ...(wakeAt === undefined ? {} : { wakeAt }),
      watchdog: alarms.some(({ name }) => name === WATCHDOG_ALARM),
      ...(due === undefined ? {} : { due }),
      running,
    };
  };
  const first = await look();
  if (!alarmsWrong(first, clock.now())) return first;
  await new Promise<void>((resolve) => clock.setTimer(SECOND_LOOK, resolve));
  return look();
}

/** What is unfinished, and what stands still though its row says that it runs. */
export async function runFacts({ store, engine, clock }: Pick<App, 'store' | 'engine' | 'clock'>): Promise<RunFacts> {
  const runs = await store.runs({ status: UNFINISHED });
  const waiting: Partial<Record<WaitKind, number>> = {};
  for (const kind of runs.flatMap(({ waitingFor }) => waitingFor)) waiting[kind] = (waiting[kind] ?? 0) + 1;
  const suspects: RunRow[] = [];
  for (const run of runs) if (await standsStill(run)) suspects.push(run);
  const unknown = runs.filter(({ runId }) => !engine.active.some((row) => row.runId === runId));
  const stuck: string[] = [];
  const unread: string[] = [];
  if (suspects.length + unknown.length > 0) {
    // Between two commits anything may look like this; what has not moved in a while stands still.
    await new Promise<void>((resolve) => clock.setTimer(SECOND_LOOK, resolve));
    for (const { runId, seq } of suspects) {
      const run = await store.run(runId);
      if (run?.seq === seq && (await standsStill(run))) stuck.push(runId);
    }
    for (const { runId } of unknown) {
      const run = await store.run(runId);
      const left = run !== undefined && UNFINISHED.includes(run.status);
      if (left && !engine.active.some((row) => row.runId === runId)) unread.push(runId);
    }
  }
  return {
    stopped: engine.emergency,
    unfinished: runs.length,
    paused: runs.filter(({ status }) => status === 'paused').length,
    waiting,
    stuck: stuck.filter((runId) => !unread.includes(runId)),
    unread,
  };

  /** Its row says that it runs, and neither is a step at work nor is anything due that would move it. */
  async function standsStill({ runId, status, nextDue }: RunRow): Promise<boolean> {
    if (status !== 'running' && status !== 'queued') return false;
    const busy = (await store.steps(runId)).some((step) => step.status === 'running');
    return !busy || (engine.inFlight === 0 && nextDue === undefined);
  }
}
