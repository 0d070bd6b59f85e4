import { TabloomError } from '../../model/errors.ts';
import type { RunTabs } from '../../model/run.ts';

/** Which run may drive which browser tab. A tab belongs to one run at a time. */
export class Leases {
  readonly #owner = new Map<number, string>();
  /** Of a tab that was passed on: the runs that wait to have it back, the last one first in line. */
  readonly #lender = new Map<number, string[]>();
  /** Called with tabs that were taken, and with those that were let go. */
  onChange: ((taken: number[], dropped: number[]) => void) | undefined;

  /** All tabs that some run has. */
  get tabs(): number[] {
    return [...this.#owner.keys()];
  }

  /**
   * Takes the open tabs of a run that are of this life of the browser; one that another run has stays with that one.
   * @param from the run that has called this one, and may have passed it a tab: it gets that back when this one lets go
   */
  takeAll(runId: string, tabs: RunTabs, session: string, from?: string): void {
    const taken: number[] = [];
    for (const tab of tabs.list) {
      if (tab.session !== session || tab.closed) continue;
      const owner = this.#owner.get(tab.browserTabId);
      if (owner !== undefined && owner === from) {
        this.#owner.set(tab.browserTabId, runId);
        this.#lender.set(tab.browserTabId, [...(this.#lender.get(tab.browserTabId) ?? []), from]);
      }
      if (owner !== undefined) continue;
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

  /** Another tab of the browser has taken the place of one, with all that goes with it. */
  replace(added: number, removed: number): void {
    const owner = this.#owner.get(removed);
    if (owner === undefined) return;
    const lenders = this.#lender.get(removed);
    this.#owner.set(added, owner);
    if (lenders) this.#lender.set(added, lenders);
    this.#owner.delete(removed);
    this.#lender.delete(removed);
    this.onChange?.([added], [removed]);
  }

  owner(browserTabId: number): string | undefined {
    return this.#owner.get(browserTabId);
  }

  drop(browserTabId: number): void {
    this.#lender.delete(browserTabId);
    if (this.#owner.delete(browserTabId)) this.onChange?.([], [browserTabId]);
  }

  dropAll(runId: string): void {
    for (const [tab, lenders] of this.#lender)
      this.#lender.set(
        tab,
        lenders.filter((one) => one !== runId),
      );
    const left = [...this.#owner].flatMap(([tab, owner]) => (owner === runId ? [tab] : []));
    const dropped = left.filter((tab) => !this.#giveBack(tab));
    for (const tab of dropped) this.#owner.delete(tab);
    if (dropped.length > 0) this.onChange?.([], dropped);
  }

  #giveBack(browserTabId: number): boolean {
    const lenders = this.#lender.get(browserTabId) ?? [];
    const lender = lenders.pop();
    if (lenders.length === 0) this.#lender.delete(browserTabId);
    if (lender !== undefined) this.#owner.set(browserTabId, lender);
    return lender !== undefined;
  }
}
