/** The grade of one expense line, in the shape that the example workflow asks for. */
export interface Grade {
  suspicious: boolean;
  /** 0 (fine) to 1. */
  score: number;
  reason: string;
  /** What to send to the employee; empty when there is nothing to ask. */
  message: string;
}

/** A line of the table as it was read from the page: everything is text. */
export type Line = Record<string, unknown>;

interface Finding {
  score: number;
  what: string;
  ask: string;
}

const NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'];

/**
 * Grades a line by fixed rules, whose limits come from the policy's text: `Meals: up to 60 EUR`, `… per night`, `a receipt is needed
 * above 25 EUR`, a mention of weekends, a mention of claiming twice. The same texts always give the same grade.
 * @param others all lines of the report in their order, to find one that was claimed before
 */
export function gradeLine(line: Line, policy: string, others: Line[] = []): Grade {
  const findings = [
    overLimit(line, policy),
    noReceipt(line, policy),
    onWeekend(line, policy),
    claimedTwice(line, policy, others),
  ]
    .filter((finding) => finding !== undefined)
    .sort((a, b) => b.score - a.score);
  if (findings.length === 0) return { suspicious: false, score: 0.05, reason: 'Within the policy.', message: '' };
  const name = text(line, 'employee').split(' ')[0] || 'there';
  const item = `expense ${text(line, 'id')} (${text(line, 'description')}, ${text(line, 'amount')})`;
  return {
    suspicious: true,
    score: findings[0]?.score ?? 0,
    reason: findings.map((finding) => finding.what).join(' '),
    message: `Hello ${name}, about ${item}: ${findings.map((finding) => finding.ask).join(' ')} Thank you.`,
  };
}

/** A number out of `1,240.50 EUR`, or NaN. */
export function amountOf(value: unknown): number {
  if (typeof value === 'number') return value;
  return Number.parseFloat(String(value ?? '').replace(/[^\d.-]/g, '') || 'NaN');
}

function overLimit(line: Line, policy: string): Finding | undefined {
  const category = text(line, 'category');
  const amount = amountOf(field(line, 'amount'));
  for (const row of policy.split('\n')) {
    const rule = /^[\s*-]*([^:]+):.*?\b(?:up to|at most)\s+([\d.,]+)\s*EUR(\s+(?:per|a)\s+night)?/i.exec(row);
    if (!rule || rule[1]?.trim().toLowerCase() !== category.toLowerCase()) continue;
    const nights = rule[3] === undefined ? 1 : nightsIn(text(line, 'description'));
    const limit = amountOf(rule[2]) * nights;
    if (!(amount > limit)) return undefined;
    const over = (amount - limit).toFixed(2);
    return {
      score: round(Math.min(0.98, 0.6 + 0.2 * (amount / limit - 1))),
      what: `${category} is ${over} EUR over the limit of ${limit.toFixed(2)} EUR.`,
      ask: `it is ${over} EUR over our limit for ${category.toLowerCase()}; who agreed to it, and why was it needed?`,
    };
  }
  return undefined;
}

function noReceipt(line: Line, policy: string): Finding | undefined {
  const rule = /receipt[^.\n]*?\b(?:above|over|from)\s+([\d.,]+)\s*EUR/i.exec(policy);
  const missing = ['no', 'false', 'missing', ''].includes(text(line, 'receipt').toLowerCase());
  if (!rule || !missing || amountOf(field(line, 'amount')) <= amountOf(rule[1])) return undefined;
  return {
    score: 0.7,
    what: `There is no receipt, and one is needed above ${amountOf(rule[1])} EUR.`,
    ask: 'the receipt is missing; please send it.',
  };
}

function onWeekend(line: Line, policy: string): Finding | undefined {
  const date = new Date(`${text(line, 'date')}T00:00:00Z`);
  const day = date.getUTCDay();
  if (!/weekend/i.test(policy) || (day !== 0 && day !== 6)) return undefined;
  const name = day === 6 ? 'Saturday' : 'Sunday';
  return { score: 0.65, what: `It was on a ${name}.`, ask: `it was on a ${name}; what was the occasion?` };
}

function claimedTwice(line: Line, policy: string, others: Line[]): Finding | undefined {
  if (!/twice|duplicate/i.test(policy)) return undefined;
  const same = (other: Line) =>
    ['date', 'employee', 'category', 'amount'].every((key) => text(other, key) === text(line, key));
  const first = others.find(same);
  // The first of two equal lines is the claim, the second the duplicate.
  if (!first || text(first, 'id') === text(line, 'id')) return undefined;
  const twin = text(first, 'id');
  return {
    score: 0.9,
    what: `It is the same as expense ${twin}.`,
    ask: `it looks the same as expense ${twin}; is it a second one, or was it entered twice?`,
  };
}

function nightsIn(description: string): number {
  const count = /\b(\d+|one|two|three|four|five|six|seven)\s+nights?\b/i.exec(description)?.[1]?.toLowerCase();
  if (count === undefined) return 1;
  const word = NUMBERS.indexOf(count);
  return word >= 0 ? word + 1 : Math.max(1, Number(count));
}

/** A field whatever the case of its column's name. */
function field(line: Line, name: string): unknown {
  const key = Object.keys(line).find((one) => one.toLowerCase() === name);
  return key === undefined ? undefined : line[key];
}

function text(line: Line, name: string): string {
  return String(field(line, name) ?? '').trim();
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
