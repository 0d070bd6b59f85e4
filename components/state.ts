import { signal } from '@preact/signals';
import type { RunDetail, SurfaceState } from '../src/app/protocol.ts';
import type { ApprovalRow } from '../src/model/run.ts';
import { byWords, whoWords } from '../src/view/run-words.ts';
import { ask, onUpdates } from './client.ts';
import { t, translator } from './kit/i18n.tsx';
import { announce, notify } from './kit/toast.tsx';
import { findPlace, onGrantsChanged } from './platform.ts';

/** What the background says is there now; `undefined` until the first answer. */
export const state = signal<SurfaceState | undefined>(undefined);
/** The last failure to get it; cleared by the next success. */
export const stateError = signal<unknown>(undefined);
/** Counts changes of grants, so that forms ask again which are missing. */
export const grantsVersion = signal(0);
/** Counts updates of single runs; open run views ask again when their run's number moves. */
export const runVersions = signal<Readonly<Record<string, number>>>({});
/** Counts the times that models had written more. */
export const writingVersion = signal(0);
/** Counts changes of the knowledge base. */
export const knowledgeVersion = signal(0);
/** Active tab of this window, for *run on this page*. */
export const activeTab = signal<number | undefined>(undefined);

const decidedHere = new Set<string>();
/** Marks an approval as decided on this page, so that its going away is no news. */
export function markDecided(approvalId: string): void {
  decidedHere.add(approvalId);
}

let asking = false;
let askAgain = false;

/** Asks for the state; calls while one is under way are joined into one more. Never rejects. */
export async function refresh(): Promise<void> {
  if (asking) {
    askAgain = true;
    return;
  }
  asking = true;
  try {
    do {
      askAgain = false;
      const next = await ask('state.get', activeTab.value === undefined ? {} : { tabId: activeTab.value });
      tellNews(state.value, next);
      state.value = next;
      stateError.value = undefined;
    } while (askAgain);
  } catch (error) {
    stateError.value = error;
  } finally {
    asking = false;
  }
}

/** Finds the tab, asks for the state, and follows the background from then on. */
export function startState(): void {
  void findPlace().then((place) => {
    activeTab.value = place.tabId;
    void refresh();
  });
  onUpdates((update) => {
    if (update !== 'reconnected' && update.what.includes('writing')) writingVersion.value += 1;
    // Nothing was committed: what is shown of the runs is still so.
    if (update !== 'reconnected' && update.what.every((what) => what === 'writing')) return;
    if (update === 'reconnected' || update.what.includes('knowledge')) knowledgeVersion.value += 1;
    if (update === 'reconnected')
      runVersions.value = Object.fromEntries(Object.entries(runVersions.value).map(([id, n]) => [id, n + 1]));
    else if (update.runId !== undefined)
      runVersions.value = { ...runVersions.value, [update.runId]: (runVersions.value[update.runId] ?? 0) + 1 };
    void refresh();
  });
  onGrantsChanged(() => {
    grantsVersion.value += 1;
    void refresh();
  });
}

/** Reads out what a person should hear of: a new approval, a failed run; says who decided what was open here. */
function tellNews(before: SurfaceState | undefined, after: SurfaceState): void {
  if (!before) return;
  const known = new Set(before.approvals.map((row) => row.approvalId));
  const fresh = after.approvals.find((row) => !known.has(row.approvalId));
  if (fresh) announce(t('live.approvalNeeded', { workflow: fresh.workflowName, title: fresh.title }), 'urgent');
  const wasLive = new Set(before.live.map((run) => run.runId));
  const failed = after.history.find((run) => run.status === 'failed' && wasLive.has(run.runId));
  if (failed) announce(t('live.runFailed', { workflow: failed.workflowName }), 'urgent');
  const pending = new Set(after.approvals.map((row) => `${row.runId}/${row.path}`));
  for (const gone of before.approvals) {
    if (!pending.has(`${gone.runId}/${gone.path}`) && !decidedHere.has(gone.approvalId)) void tellOutcome(gone);
  }
}

async function tellOutcome(gone: ApprovalRow): Promise<void> {
  let detail: RunDetail | null = null;
  try {
    detail = await ask('run.get', { runId: gone.runId });
  } catch {
    return; // The state itself says that it is gone; who did it is a courtesy.
  }
  const row = detail?.approvals.find((each) => each.approvalId === gone.approvalId);
  const outcome = row && outcomeWords(row);
  if (outcome) notify(t('approval.goneElsewhere', { title: gone.title, outcome }));
}

/** How an approval ended, in words; `undefined` while it is pending. */
export function outcomeWords(row: ApprovalRow): string | undefined {
  const tr = translator.value;
  switch (row.status) {
    case 'approved':
    case 'rejected':
      return tr.t(`approval.gone.${row.status}`, {
        by: whoWords(row.decision, tr),
        at: tr.date(row.decision?.at ?? row.createdAt),
      });
    case 'cancelled':
      if (row.closed?.by !== undefined)
        return tr.t('approval.gone.cancelledBy', { by: byWords(row.closed.by, tr), at: tr.date(row.closed.at) });
      return tr.t('approval.gone.cancelled');
    case 'expired':
    case 'replaced':
      return tr.t(`approval.gone.${row.status}`);
    case 'pending':
      return undefined;
  }
}
