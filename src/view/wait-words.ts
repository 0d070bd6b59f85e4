import { pageWanted } from '../engine/page-wait.ts';
import type { Attempt, StepRunRow, Wait } from '../model/run.ts';
import type { Translator } from './messages/index.ts';
import { siteWords } from './run-words.ts';

/** Why a step waits, in words: "waiting for approval", "retry in 12 seconds". `undefined` where it does not wait. */
export function waitWords(row: StepRunRow, tr: Translator, now: number): string | undefined {
  if (row.status === 'running') {
    const next = backoffUntil(row.attempts.at(-1));
    return next !== undefined && next > now ? tr.t('wait.retryIn', { when: tr.relative(next, now) }) : undefined;
  }
  if (row.status !== 'waiting') return undefined;
  return row.wait ? waitKindWords(row.wait, tr, now) : tr.t('wait.plain');
}

/** When the backoff after an attempt ends; `undefined` where none follows. */
export function backoffUntil(attempt: Attempt | undefined): number | undefined {
  if (!attempt?.error || attempt.delayMs === undefined || attempt.endedAt === undefined) return undefined;
  return attempt.endedAt + attempt.delayMs;
}

/** Words for one wait. */
export function waitKindWords(
  wait: Pick<Wait, 'kind' | 'subject' | 'due' | 'data'>,
  tr: Translator,
  now: number,
): string {
  switch (wait.kind) {
    case 'signal':
      return tr.t('wait.signal', { subject: wait.subject ?? '' });
    case 'permission':
      return tr.t('wait.permission', { subject: siteWords(wait.subject ?? '', tr) });
    case 'timer':
      return wait.due === undefined ? tr.t('wait.plain') : tr.t('wait.timer', { when: tr.relative(wait.due, now) });
    case 'page': {
      const { url, selector } = pageWanted(wait.data) ?? { url: wait.subject ?? '' };
      return selector === undefined ? tr.t('wait.page', { url }) : tr.t('wait.pageElement', { selector, url });
    }
    case 'approval':
    case 'review':
    case 'task':
    case 'budget':
    case 'recovery':
    case 'tool_change':
      return tr.t(`wait.${wait.kind}`);
  }
}
