import type { Translator } from '../view/messages/index.ts';
import type { StorageFault } from './store-health.ts';

/** What calls for the person: a store that fails, pending approvals, a failure that nobody has seen yet, the emergency stop. */
export interface Attention {
  pending: number;
  failed: boolean;
  stopped: boolean;
  storage?: StorageFault | undefined;
}

export interface Badge {
  text: string;
  color: string;
  /** The same in words, for the tooltip and screen readers. */
  title: string;
}

const AMBER = '#b45309';
const RED = '#b91c1c';

/**
 * The toolbar button's badge. An approval is shown before a failure, since it can still be acted on; a store that fails before both, since
 * nothing goes on without it. The title says everything.
 */
export function badgeOf({ pending, failed, stopped, storage }: Attention, { t }: Pick<Translator, 't'>): Badge {
  const words: string[] = [];
  if (storage) words.push(t(storage.full ? 'state.storageFull' : 'state.storageFails'));
  if (stopped) words.push(t('state.stopped'));
  if (pending > 0) words.push(t('state.waiting', { n: pending }));
  if (failed) words.push(t('status.failed'));
  const text = storage ? '!' : pending > 0 ? (pending > 99 ? '99+' : String(pending)) : failed ? '!' : '';
  return {
    text,
    color: !storage && (pending > 0 || !failed) ? AMBER : RED,
    title: [t('app.name'), words.join(' · ')].filter((part) => part !== '').join(': '),
  };
}
