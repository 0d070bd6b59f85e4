import { FINAL_RUN, type RunRow } from '../model/run.ts';
import type { Commit, Store } from '../ports/store.ts';
import type { Translator } from '../view/messages/index.ts';
import { badgeOf } from './badge.ts';
import type { BackgroundBrowser } from './browser-api.ts';

/** Setting that keeps whether a failure is still to be seen, over restarts of the browser too. */
const KEY = 'attention';
/** A run that ends sooner was watched, or nobody minds. Milliseconds. */
const LONG_RUN = 30_000;

export interface AttentionParts {
  browser: Pick<BackgroundBrowser, 'action' | 'notifications' | 'runtime'>;
  store: Store;
  translator: Translator;
  /** Whether everything is stopped. */
  stopped(): boolean;
  /** Whether one of our pages is open. */
  watched(): boolean;
}

/**
 * Calls the person: the badge, and notifications for an approval, a failure, and the end of a long run that nobody watches. The texts hold
 * names of workflows and nothing else: no page content, no approval's title, no value (they may come from a page).
 */
export class AttentionCaller {
  readonly #parts: AttentionParts;
  readonly #pending = new Set<string>();
  #failed = false;
  #shown = '';

  constructor(parts: AttentionParts) {
    this.#parts = parts;
  }

  /** Reads what is pending from the store. */
  async load(): Promise<void> {
    const { store } = this.#parts;
    this.#failed = (await store.setting(KEY))?.failed === true;
    this.#pending.clear();
    for (const row of await store.approvals({ status: 'pending' })) this.#pending.add(row.approvalId);
    this.show();
  }

  committed(commit: Commit): void {
    for (const row of commit.approvals) {
      if (row.status !== 'pending') {
        if (this.#pending.delete(row.approvalId)) this.#clear(`approval/${row.approvalId}`);
      } else if (!this.#pending.has(row.approvalId)) {
        this.#pending.add(row.approvalId);
        this.#notify(`approval/${row.approvalId}`, row.workflowName, 'status.waiting');
      }
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
    const badge = badgeOf({ pending: this.#pending.size, failed: this.#failed, stopped: stopped() }, translator);
    const key = JSON.stringify(badge);
    if (key === this.#shown) return;
    this.#shown = key;
    const { action } = browser;
    quietly(() =>
      Promise.all([
        action.setBadgeText({ text: badge.text }),
        action.setBadgeBackgroundColor({ color: badge.color }),
        action.setTitle({ title: badge.title }),
      ]),
    );
  }

  #ended(run: RunRow): void {
    if (!FINAL_RUN.includes(run.status) || run.status === 'cancelled') return;
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
    status: 'status.waiting' | 'status.failed' | 'status.completed' | 'status.partial',
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

/** The badge and notifications are a courtesy: a browser that refuses them stops no run. */
function quietly(work: () => Promise<unknown>): void {
  Promise.resolve()
    .then(work)
    .catch(() => undefined);
}
