import type { OutboxEntry, Severity } from '../model/outbox.ts';
import type { Clock } from '../ports/clock.ts';
import type { Commit, Store } from '../ports/store.ts';
import type { Translator } from '../view/messages/index.ts';
import type { BackgroundBrowser } from './browser-api.ts';

/** How many entries are kept; older ones that people were told of go. */
const KEPT = 200;
const TITLE_MAX = 100;
const MESSAGE_MAX = 300;
/** How pressing the browser shows it, from 0 to 2. */
const PRIORITY: Record<Severity, number> = { info: 0, low: 0, medium: 0, high: 1, critical: 2 };

export interface OutboxParts {
  browser: Pick<BackgroundBrowser, 'notifications' | 'runtime'>;
  store: Store;
  clock: Pick<Clock, 'now'>;
  translator: Translator;
  /** The list has changed. */
  changed(): void;
}

/**
 * Brings what runs tell people to them: each entry is shown by the browser once, under its own id, and then marked. An entry that could not
 * be marked is shown again under the same id, which the browser takes for the same. What the browser refuses stays in the list.
 */
export class OutboxPump {
  readonly #parts: OutboxParts;
  #pumping: Promise<void> | undefined;
  #again = false;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  /** Something was written. */
  committed({ outbox }: Commit): void {
    if (outbox?.length) void this.pump();
  }

  /** Shows all that was not shown yet. Never rejects: what fails is tried again with the next entry, or the next start. */
  pump(): Promise<void> {
    this.#again = true;
    this.#pumping ??= this.#work().finally(() => {
      this.#pumping = undefined;
    });
    return this.#pumping;
  }

  async #work(): Promise<void> {
    const { store, clock, changed } = this.#parts;
    while (this.#again) {
      this.#again = false;
      try {
        const entries = await store.outbox();
        for (const entry of entries.toReversed()) {
          if (entry.sentAt !== undefined) continue;
          await this.#show(entry);
          await store.markSent(entry.outboxId, clock.now());
        }
        for (const { outboxId } of entries.slice(KEPT)) await store.removeOutbox(outboxId);
      } catch {
        // The store has failed, and says so itself.
        return;
      }
      changed();
    }
  }

  async #show(entry: OutboxEntry): Promise<void> {
    const { browser, translator } = this.#parts;
    const title =
      entry.kind === 'handoff' ? translator.t('outbox.handoff', { to: entry.to ?? '' }) : (entry.title ?? '');
    await browser.notifications
      .create(notificationIdOf(entry), {
        type: 'basic',
        iconUrl: browser.runtime.getURL('/icon/128.png'),
        title: cut(title, TITLE_MAX),
        // Not every browser takes one without a message.
        message: cut(entry.message || entry.workflowName, MESSAGE_MAX),
        priority: PRIORITY[entry.severity],
      })
      .catch(() => undefined);
  }
}

/** Names the run too, so that a click leads there. */
export function notificationIdOf({ runId, outboxId }: OutboxEntry): string {
  return `outbox/${encodeURIComponent(runId)}/${outboxId}`;
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
