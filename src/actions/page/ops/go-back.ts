import { PageError } from '../env.ts';
import type { PageOpRun } from './define.ts';

/** The part of the Navigation API that is used; not in every browser. */
interface Entries {
  currentEntry?: { index: number } | null;
  entries(): unknown[];
}

/**
 * Goes back one entry, once the answer is on its way: the document may be gone or put away right after. `first` is set where the tab began
 * with a page of our own, which is no place to go back to.
 * Not by the browser's own button, which passes over entries that a page made without a person's click.
 */
export const goBack: PageOpRun = ({ first }, begin) => {
  if (!hasBefore(first === true ? 1 : 0)) {
    throw new PageError('operation_failed', NOTHING, { details: { reason: 'no_history' } });
  }
  begin();
  setTimeout(() => history.back(), 0);
  return { value: null };
};

export const NOTHING = 'Open the page by its address instead: there is nothing in this tab to go back to.';

/** False where there is nothing before this entry for sure. Entries of other sites are only counted, so that it may be that there is none. */
function hasBefore(ours: number): boolean {
  const { navigation } = globalThis as unknown as { navigation?: Entries };
  if (!navigation?.currentEntry) return history.length > 1 + ours;
  return navigation.currentEntry.index > 0 || history.length > navigation.entries().length + ours;
}
