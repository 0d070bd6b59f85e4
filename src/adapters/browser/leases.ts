import { TabloomError } from '../../model/errors.ts';
import type { RunTabs } from '../../model/run.ts';

/** Which run may drive which browser tab. A tab belongs to one run at a time. */
export class Leases {
  readonly #owner = new Map<number, string>();
  /** Called with tabs that were taken, and with those that were let go. */
  onChange: ((taken: number[], dropped: number[]) => void) | undefined;

  /** All tabs that some run has. */
  get tabs(): number[] {
    return [...this.#owner.keys()];
  }

  /** Takes the open tabs of a run that are of this life of the browser; one that another run has stays with that one. */
  takeAll(runId: string, tabs: RunTabs, session: string): void {
    const taken: number[] = [];
    for (const tab of tabs.list) {
      if (tab.session !== session || tab.closed || this.#owner.has(tab.browserTabId)) continue;
      this.#owner.set(tab.browserTabId, runId);
      taken.push(tab.browserTabId);
    }
    if (taken.length > 0) this.onChange?.(taken, []);
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
    if (owner === undefined) this.onChange?.([browserTabId], []);
  }

  owner(browserTabId: number): string | undefined {
    return this.#owner.get(browserTabId);
  }

  drop(browserTabId: number): void {
    if (this.#owner.delete(browserTabId)) this.onChange?.([], [browserTabId]);
  }

  dropAll(runId: string): void {
    const dropped = [...this.#owner].flatMap(([tab, owner]) => (owner === runId ? [tab] : []));
    for (const tab of dropped) this.#owner.delete(tab);
    if (dropped.length > 0) this.onChange?.([], dropped);
  }
}
