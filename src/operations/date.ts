import { DateTime, type DurationLikeObject, FixedOffsetZone, IANAZone } from 'luxon';
import { z } from '../model/zod.ts';
import { defineOperation, OperationFailure } from './define.ts';

const timezone = z.string().optional();

/** A zone by its IANA name, `UTC`, or an offset such as `UTC+2`. Never the machine's own: the same step must give the same everywhere. */
function zone(name: string | undefined): IANAZone | FixedOffsetZone {
  if (name === undefined || /^(utc|z|gmt)$/i.test(name)) return FixedOffsetZone.utcInstance;
  const fixed = FixedOffsetZone.parseSpecifier(name);
  if (fixed) return fixed;
  const iana = IANAZone.create(name);
  if (!iana.isValid) throw new OperationFailure(`"${name}" is not a time zone such as Europe/Berlin or UTC+2`);
  return iana;
}

/** Reads a date: ISO 8601, RFC 2822, HTTP, SQL, or epoch milliseconds; a text without an offset is in `zone`. */
function read(text: string | number, name: string | undefined): DateTime {
  const in_ = { zone: zone(name), locale: 'en' } as const;
  if (typeof text === 'number') return valid(DateTime.fromMillis(text, in_), text);
  const trimmed = text.trim();
  for (const parse of [DateTime.fromISO, DateTime.fromSQL, DateTime.fromRFC2822, DateTime.fromHTTP]) {
    const date = parse.call(DateTime, trimmed, in_);
    if (date.isValid) return date;
  }
  throw new OperationFailure(
    `"${trimmed.slice(0, 60)}" is not a date that can be read; give its \`format\`, such as dd.MM.yyyy`,
  );
}

function valid(date: DateTime, given: string | number): DateTime {
  if (!date.isValid)
    throw new OperationFailure(
      `${JSON.stringify(given)} is not a date (${date.invalidExplanation ?? date.invalidReason ?? 'unknown'})`,
    );
  return date;
}

function iso(date: DateTime): string {
  const text = date.toISO();
  if (text === null) throw new OperationFailure('the result is no date that can be written');
  return text;
}

const dateValue = z.union([z.string(), z.number()]);

export const dateParse = defineOperation({
  id: 'date.parse',
  summary:
    'Reads a date (ISO 8601, RFC 2822, HTTP, SQL, epoch milliseconds, or by `format`) as ISO 8601, in UTC unless a time zone is given.',
  args: z.strictObject({ text: dateValue, timezone, format: z.string().optional(), locale: z.string().default('en') }),
  output: 'text, such as 2026-01-05T09:00:00.000Z',
  work({ text, timezone: name, format, locale }) {
    if (format === undefined) return iso(read(text, name));
    return iso(valid(DateTime.fromFormat(String(text).trim(), format, { zone: zone(name), locale }), text));
  },
});

export const dateFormat = defineOperation({
  id: 'date.format',
  summary:
    'Writes a date by a format of Luxon tokens (`yyyy-MM-dd HH:mm`), in UTC unless a time zone is given, in English unless a locale is.',
  args: z.strictObject({ date: dateValue, format: z.string(), timezone, locale: z.string().default('en') }),
  output: 'text',
  work({ date, format, timezone: name, locale }) {
    return read(date, name).setLocale(locale).toFormat(format);
  },
});

const UNITS = ['milliseconds', 'seconds', 'minutes', 'hours', 'days', 'weeks', 'months', 'quarters', 'years'] as const;
const unit = z.enum([...UNITS, 'millisecond', 'second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year']);

export const dateAdd = defineOperation({
  id: 'date.add',
  summary:
    'Adds an amount (negative takes away) of a unit to a date; months and days keep the clock time of the time zone.',
  args: z.strictObject({ date: dateValue, amount: z.number(), unit, timezone }),
  output: 'text, ISO 8601',
  work({ date, amount, unit: name, timezone: zoneName }) {
    const duration: DurationLikeObject = { [name]: amount };
    return iso(valid(read(date, zoneName).plus(duration), date));
  },
});
