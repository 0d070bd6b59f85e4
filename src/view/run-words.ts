import { isObject, type Json } from '../model/json.ts';
import type { ApprovalRow, RunRow, StepRunRow, Usage } from '../model/run.ts';
import type { MessageKey, Translator } from './messages/index.ts';

/**
 * Cost and tokens in one line; words for none. Money only where a price is known. What was not counted by the provider is said to be estimated,
 * and how much of it came from the provider's cache.
 */
export function usageWords(usage: Usage | undefined, tr: Translator): string {
  const tokens = usage ? usage.inputTokens + usage.outputTokens : 0;
  if (!usage || (tokens === 0 && !usage.usd)) return tr.t('run.noCost');
  const words = [
    tr.t('run.tokens', { n: tokens }),
    usage.cachedTokens ? tr.t('run.cachedTokens', { n: usage.cachedTokens }) : '',
    usage.estimated ? tr.t('run.estimated') : '',
  ];
  const inAll = words.filter((word) => word !== '').join(', ');
  return usage.usd === undefined ? inAll : tr.t('run.costAndTokens', { cost: tr.money(usage.usd), tokens: inAll });
}

/** What earlier results that were used again had cost, in words; undefined where that was nothing. */
export function savedWords(saved: Usage | undefined, tr: Translator): string | undefined {
  const tokens = saved ? saved.inputTokens + saved.outputTokens : 0;
  if (!saved || (tokens === 0 && !saved.usd)) return undefined;
  return saved.usd === undefined ? tr.t('run.tokens', { n: tokens }) : tr.money(saved.usd);
}

/** Wall time of a run or step so far or in all, milliseconds; `undefined` before it began. */
export function elapsedMs(row: Pick<RunRow | StepRunRow, 'startedAt' | 'endedAt'>, now: number): number | undefined {
  return row.startedAt === undefined ? undefined : Math.max(0, (row.endedAt ?? now) - row.startedAt);
}

const TRIGGERS = [
  'manual',
  'page',
  'context_menu',
  'command',
  'schedule',
  'omnibox',
  'mcp',
  'task_event',
  'cli',
] as const;

/** Who or what started a run, in words. */
export function triggerWords(run: Pick<RunRow, 'trigger'>, tr: Translator): string {
  const type = TRIGGERS.find((each) => each === run.trigger.type);
  return tr.t(type ? `run.trigger.${type}` : 'run.trigger.other');
}

type RefusalKey = Exclude<Extract<MessageKey, `refusal.${string}`>, `refusal.tooLate.${string}`>;

const OUTCOMES = ['approved', 'rejected', 'cancelled'] as const;

/**
 * A refusal as one sentence that says what to do: ours where the code is known, else the message that came with it. Where somebody else
 * was first, it says who and when.
 */
export function refusalWords(refusal: { code: string; message: string; details?: Json }, tr: Translator): string {
  const before = isObject(refusal.details) ? refusal.details : {};
  const outcome = OUTCOMES.find((each) => each === before.outcome);
  if (outcome && typeof before.by === 'string' && typeof before.at === 'number')
    return tr.t(`refusal.tooLate.${outcome}`, { by: byWords(before.by, tr), at: tr.date(before.at) });
  const key = `refusal.${refusal.code}`;
  return tr.has(key) ? tr.t(key as RefusalKey) : refusal.message;
}

/** Where a run is, from a step's path: `each[3]/grade` as "grade, item 4"; of several loops the innermost item is named. */
export function placeWords(path: string, tr: Translator): string {
  const step = path.slice(path.lastIndexOf('/') + 1);
  const items = [...path.matchAll(/\[(\d+)\]\//g)].at(-1);
  return items ? tr.t('run.atItem', { step, n: Number(items[1]) + 1 }) : step;
}

const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Size of a file, or of a disk, in the unit that fits. */
export function sizeWords(bytes: number, tr: Translator): string {
  const power = bytes < 1000 ? 0 : Math.min(SIZES.length - 1, Math.floor(Math.log10(bytes) / 3));
  const digits = power === 0 ? 0 : 1;
  return tr.number(bytes / 1000 ** power, { style: 'unit', unit: SIZES[power], maximumFractionDigits: digits });
}

/** Short form of a hash or revision: its first eight digits. */
export function shortHash(hash: string): string {
  return hash.slice(0, 8);
}

/** Who decided, in words, from `by` of a decision. */
export function byWords(by: string, tr: Translator): string {
  const [kind, ...rest] = by.split(':');
  const name = rest.join(':');
  if (kind === 'rule') return tr.t('approval.by.rule', { rule: name });
  if (kind === 'client') return tr.t('approval.by.client', { client: name });
  if (kind === 'cli') return tr.t('approval.by.cli');
  return by === 'person' ? tr.t('approval.by.person') : by;
}

/** Who took a decision, in words; of a standing rule, whose it is and since when. */
export function whoWords(decision: ApprovalRow['decision'], tr: Translator): string {
  if (decision?.rule?.by === 'person') return tr.t('approval.by.ownRule', { when: tr.date(decision.rule.givenAt) });
  return byWords(decision?.by ?? 'person', tr);
}

/** A site in words: an origin or pattern as it is, and what stands for every site as that. */
export function siteWords(site: string, tr: Translator): string {
  return isEverySite(site) ? tr.t('sites.all') : site;
}

/** Whether a grant or a lack of one is of every site. */
export function isEverySite(site: string): boolean {
  return site === '<all_urls>' || /^\*:\/\/\*(?:\/\*)?$/.test(site);
}

/** A match pattern for a host permission from an origin or pattern. Ports are left out: Firefox has none in patterns, and none means any. */
export function grantPattern(origin: string): string {
  const match = /^(\*|https?):\/\/(\[[^\]]+\]|[^/:]+)(?::\d+|:\*)?(?:\/.*)?$/.exec(origin);
  return match ? `${match[1]}://${match[2]}/*` : origin;
}
