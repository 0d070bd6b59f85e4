import { PageError } from '../env.ts';
import { describe } from '../find/resolve.ts';

/** How each kind of field with a fixed format writes its value. */
const FORMATS: Record<string, string> = {
  color: 'a colour as #rrggbb',
  date: 'a date as YYYY-MM-DD',
  'datetime-local': 'a date and time as YYYY-MM-DDTHH:MM',
  month: 'a month as YYYY-MM',
  number: 'a number',
  range: 'a number',
  time: 'a time as HH:MM',
  week: 'a week as YYYY-Www, such as 2026-W09',
};

/** @throws PageError `element_not_actionable` when a field with a fixed format cannot hold a value, saying what it takes */
export function checkFormat(element: HTMLElement, value: string): void {
  if (!(element instanceof HTMLInputElement)) return;
  const type = typeOf(element);
  const format = FORMATS[type];
  if (format === undefined) return;
  if (value === '' && type !== 'color' && type !== 'range') return;
  if (!fits(type, value)) throw refused(element, `Give ${describe(element)} ${format}: it cannot hold "${value}".`);
  if (type !== 'range') return;
  const [least, most] = [Number(element.min || 0), Number(element.max || 100)];
  const probe = element.cloneNode() as HTMLInputElement;
  probe.value = value;
  if (Number(probe.value) === Number(value)) return;
  const step = element.step && element.step !== 'any' ? ` in steps of ${element.step}` : '';
  throw refused(
    element,
    `Give ${describe(element)} a number from ${least} to ${most}${step}: it cannot hold "${value}".`,
  );
}

/** A browser that does not know a type has a text field instead (Firefox for months and weeks); the page still wants the format. */
function typeOf(element: HTMLInputElement): string {
  const wanted = element.getAttribute('type')?.toLowerCase() ?? '';
  return element.type === 'text' && Object.hasOwn(UNKNOWN, wanted) ? wanted : element.type;
}

/** What such values look like, where the browser cannot tell. */
const UNKNOWN: Record<string, RegExp> = {
  month: /^\d{4,}-(0[1-9]|1[0-2])$/,
  week: /^\d{4,}-W(0[1-9]|[1-4]\d|5[0-3])$/,
};

function refused(element: HTMLInputElement, message: string): PageError {
  return new PageError('element_not_actionable', message, { details: { reason: 'value', type: element.type } });
}

function fits(type: string, value: string): boolean {
  if (type === 'color') return /^#[0-9a-f]{6}$/i.test(value);
  if (type === 'range') return value.trim() !== '' && Number.isFinite(Number(value));
  // The browser empties what it cannot read.
  const probe = document.createElement('input');
  probe.type = type;
  if (probe.type !== type) return UNKNOWN[type]?.test(value) ?? true;
  probe.value = value;
  return probe.value !== '';
}
