import { TabloomError } from '../../model/errors.ts';
import type { RunTabs } from '../../model/run.ts';

/** Which run may drive which browser tab. A tab belongs to one run at a time. */
export class Leases {
  readonly #owner = new Map<number, string>();

  /** Takes the open tabs of a run that are of this life of the browser; one that another run has stays with that one. */
  takeAll(runId: string, tabs: RunTabs, session: string): void {
    for (const tab of tabs.list) {
      if (tab.session === session && !tab.closed && !this.#owner.has(tab.browserTabId))
        this.#owner.set(tab.browserTabId, runId);
    }
  }

  /** @throws TabloomError `operation_failed` when another run has it. */
  take(runId: string, browserTabId: number): void {
    const owner = this.#owner.get(browserTabId);
    if (owner !== undefined && owner !== runId) {
      throw new TabloomError(
        'operation_failed',
        'Wait for the other run, or start this one in another tab: that run is working in this tab.',
        {
          details: { reason: 'tab_leased', runId: owner },
        },
      );
    }
    this.#owner.set(browserTabId, runId);
  }

  owner(browserTabId: number): string | undefined {
    return this.#owner.get(browserTabId);
  }

  drop(browserTabId: number): void {
    this.#owner.delete(browserTabId);
  }

  dropAll(runId: string): void {
    for (const [tab, owner] of this.#owner) if (owner === runId) this.#owner.delete(tab);
  }
}
