import type { Translator } from '../view/messages/index.ts';

/** What calls for the person: pending approvals, a failure that nobody has seen yet, the emergency stop. */
export interface Attention {
  pending: number;
  failed: boolean;
  stopped: boolean;
}

export interface Badge {
  text: string;
  color: string;
  /** The same in words, for the tooltip and screen readers. */
  title: string;
}

const AMBER = '#b45309';
const RED = '#b91c1c';

/** The toolbar button's badge. An approval is shown before a failure, since it can still be acted on; the title says both. */
export function badgeOf({ pending, failed, stopped }: Attention, { t }: Pick<Translator, 't'>): Badge {
  const words: string[] = [];
  if (stopped) words.push(t('state.stopped'));
  if (pending > 0) words.push(t('state.waiting', { n: pending }));
  if (failed) words.push(t('status.failed'));
  const text = pending > 0 ? (pending > 99 ? '99+' : String(pending)) : failed ? '!' : '';
  return {
    text,
    color: pending > 0 || !failed ? AMBER : RED,
    title: [t('app.name'), words.join(' · ')].filter((part) => part !== '').join(': '),
  };
}
