import { FINAL_RUN, type RunRow, type RunStatus, type StepRunRow, type WaitKind } from '../model/run.ts';
import type { Commit, Store } from '../ports/store.ts';
import type { Translator } from '../view/messages/index.ts';
import { type Badge, badgeOf } from './badge.ts';
import type { BackgroundBrowser } from './browser-api.ts';
import type { StorageFault } from './store-health.ts';

/** Setting that keeps whether a failure is still to be seen, over restarts of the browser too. */
const KEY = 'attention';
/** A run that ends sooner was watched, or nobody minds. Milliseconds. */
const LONG_RUN = 30_000;
const UNFINISHED: RunStatus[] = ['running', 'waiting', 'paused'];
/** Waits that nobody but a person ends and that have no approval: without a call the run would stand still unseen. */
const CALLING: ReadonlySet<WaitKind> = new Set(['recovery', 'permission', 'review', 'task', 'budget', 'tool_change']);

export interface AttentionParts {
  browser: Pick<BackgroundBrowser, 'action' | 'notifications' | 'runtime'>;
  store: Store;
  translator: Translator;
  /** Whether everything is stopped. */
  stopped(): boolean;
  /** What is wrong with the store, if anything. */
  storage?(): StorageFault | undefined;
  /** Whether one of our pages is open. */
  watched(): boolean;
}

/**
 * Calls the person: the badge, and notifications for an approval, for a step that waits for the person in another way, for a failure, and
 * for the end of a long run that nobody watches. The texts hold names of workflows and nothing else: no page content, no approval's title, no value (they may come from a page).
 */
export class AttentionCaller {
  readonly #parts: AttentionParts;
  /** What waits for a person, each under the id of its notification. */
  readonly #pending = new Set<string>();
  #failed = false;
  #shown = '';
  #badge: Badge = { text: '', color: '', title: '' };
  readonly #drawn: (() => void)[] = [];

  constructor(parts: AttentionParts) {
    this.#parts = parts;
  }

  /** What the button shows on every tab. */
  get badge(): Badge {
    return this.#badge;
  }

  /** Calls back after the badge was drawn anew. */
  onDraw(listener: () => void): void {
    this.#drawn.push(listener);
  }

  /** A text of ours in the person's language. */
  words(key: 'app.name'): string;
  words(key: 'triggers.offered', n: number): string;
  words(key: 'app.name' | 'triggers.offered', n = 0): string {
    const { t } = this.#parts.translator;
    return key === 'app.name' ? t(key) : t(key, { n });
  }

  /** A trigger has something to say that the person should know. */
  told(workflowId: string, workflow: string, what: 'triggers.toldOff' | 'triggers.toldRefused'): void {
    this.#notify(`workflow/${workflowId}`, workflow, what);
  }

  /** Reads what is pending from the store. */
  async load(): Promise<void> {
    const { store } = this.#parts;
    this.#failed = (await store.setting(KEY))?.failed === true;
    this.#pending.clear();
    for (const row of await store.approvals({ status: 'pending' })) this.#pending.add(approvalKey(row));
    for (const run of await store.runs({ status: UNFINISHED })) {
      if (!run.waitingFor.some((kind) => CALLING.has(kind))) continue;
      for (const row of await store.steps(run.runId)) if (calls(row)) this.#pending.add(waitKey(run.runId, row.path));
    }
    this.show();
  }

  committed(commit: Commit): void {
    const { run, runId } = commit;
    for (const row of commit.approvals) this.#waits(approvalKey(row), row.status === 'pending', row.workflowName);
    for (const row of commit.steps) this.#waits(waitKey(runId, row.path), calls(row), run.workflowName);
    for (const path of commit.dropSteps ?? []) this.#waits(waitKey(runId, path), false, run.workflowName);
    if (FINAL_RUN.includes(run.status)) {
      const own = waitKey(runId, '');
      for (const id of [...this.#pending]) if (id.startsWith(own)) this.#waits(id, false, run.workflowName);
    }
    if (commit.events.some((event) => event.type === 'run.ended')) this.#ended(commit.run);
    this.show();
  }

  /** One of our pages shows what is there: a failure counts as seen. */
  seen(): void {
    if (!this.#failed) return;
    this.#remember(false);
    this.show();
  }

  /** Draws the badge if it has changed. */
  show(): void {
    const { browser, translator, stopped } = this.#parts;
    const attention = { pending: this.#pending.size, failed: this.#failed, stopped: stopped() };
    const badge = badgeOf({ ...attention, storage: this.#parts.storage?.() }, translator);
    const key = JSON.stringify(badge);
    if (key === this.#shown) return;
    this.#shown = key;
    this.#badge = badge;
    const { action } = browser;
    quietly(() =>
      Promise.all([
        action.setBadgeText({ text: badge.text }),
        action.setBadgeBackgroundColor({ color: badge.color }),
        action.setTitle({ title: badge.title }),
      ]),
    );
    for (const drawn of this.#drawn) drawn();
  }

  /** Counts something that waits, or no longer does; called again for the same it does nothing. */
  #waits(id: string, waiting: boolean, workflow: string): void {
    if (waiting === this.#pending.has(id)) return;
    if (waiting) {
      this.#pending.add(id);
      this.#notify(id, workflow, 'status.waiting');
    } else {
      this.#pending.delete(id);
      this.#clear(id);
    }
  }

  #ended(run: RunRow): void {
    // The run that has called it says how that went.
    if (!FINAL_RUN.includes(run.status) || run.status === 'cancelled' || run.parent) return;
    if (run.status === 'failed') {
      this.#remember(true);
      this.#notify(`run/${run.runId}`, run.workflowName, 'status.failed');
    } else if ((run.endedAt ?? run.createdAt) - run.createdAt > LONG_RUN && !this.#parts.watched()) {
      this.#notify(`run/${run.runId}`, run.workflowName, `status.${run.status as 'completed' | 'partial'}`);
    }
  }

  #remember(failed: boolean): void {
    this.#failed = failed;
    quietly(() => this.#parts.store.setSetting(KEY, { failed }));
  }

  #notify(
    id: string,
    workflow: string,
    status:
      | 'status.waiting'
      | 'status.failed'
      | 'status.completed'
      | 'status.partial'
      | 'triggers.toldOff'
      | 'triggers.toldRefused',
  ): void {
    const { browser, translator } = this.#parts;
    const message = status === 'status.waiting' ? translator.t('state.waiting', { n: 1 }) : translator.t(status);
    const iconUrl = browser.runtime.getURL('/icon/128.png');
    quietly(() => browser.notifications.create(id, { type: 'basic', iconUrl, title: workflow, message }));
  }

  #clear(id: string): void {
    quietly(() => this.#parts.browser.notifications.clear(id));
  }
}

function approvalKey({ approvalId }: { approvalId: string }): string {
  return `approval/${approvalId}`;
}

function waitKey(runId: string, path: string): string {
  return `wait/${encodeURIComponent(runId)}/${path}`;
}

function calls({ status, wait }: StepRunRow): boolean {
  return status === 'waiting' && wait !== undefined && CALLING.has(wait.kind);
}

/** The badge and notifications are a courtesy: a browser that refuses them stops no run. */
function quietly(work: () => Promise<unknown>): void {
  Promise.resolve()
    .then(work)
    .catch(() => undefined);
}
