import { IANAZone } from 'luxon';

/** A `cron` line, read: the values that each field allows. */
export interface Cron {
  minutes: number[];
  hours: number[];
  days: ReadonlySet<number>;
  months: ReadonlySet<number>;
  /** 0 is Sunday. */
  weekdays: ReadonlySet<number>;
  /** Either of the two fields begins with `*`: then both must fit, else one is enough. */
  bothDays: boolean;
  /** The hour field begins with `*`: it goes by elapsed time, so an hour that the clock repeats counts twice. */
  everyHour: boolean;
}

interface Field {
  name: string;
  min: number;
  max: number;
  names?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FIELDS = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: MONTHS },
  { name: 'day of week', min: 0, max: 7, names: WEEKDAYS },
] as const satisfies readonly Field[];

const MINUTE = 60_000;
const DAY = 24 * 3_600_000;
/** The longest time that a clock is put back by, with room to spare. */
const LONGEST_TWICE = 3 * 3_600_000;
/** 29 February is at most eight years away (2096 to 2104). */
const FURTHEST_DAYS = 8 * 366 + 1;
/** The longest month of all years, by number. */
const MOST_DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Reads five fields: minute, hour, day of month, month, day of week (0 and 7 are Sunday); each `*`, a value, a range `1-5`, a list `1,3`, a
 * step on either (`*` + `/15`, `8-18/2`), months and weekdays also by their English three-letter names.
 * @throws Error with a sentence that says what is wrong
 */
export function parseCron(text: string): Cron {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== FIELDS.length || parts[0] === '')
    throw new Error(
      `Write five fields (minute, hour, day of month, month, day of week), such as "0 9 * * 1"; this has ${parts[0] === '' ? 0 : parts.length}`,
    );
  const [minutes, hours, days, months, weekdays] = FIELDS.map((field, index) =>
    valuesOf(parts[index] as string, field),
  ) as [number[], number[], number[], number[], number[]];
  const [, hourText, dayText, , weekdayText] = parts as [string, string, string, string, string];
  const bothDays = dayText.startsWith('*') || weekdayText.startsWith('*');
  if (bothDays && !months.some((month) => (days[0] as number) <= (MOST_DAYS[month - 1] as number)))
    throw new Error('Choose another day: no month that is named has this one');
  return {
    minutes,
    hours,
    days: new Set(days),
    months: new Set(months),
    weekdays: new Set(weekdays.map((day) => day % 7)),
    bothDays,
    everyHour: hourText.startsWith('*'),
  };
}

function valuesOf(text: string, field: Field): number[] {
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const [, range = '', step] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(part) ?? [];
    const by = step === undefined ? 1 : Number(step);
    if (range === '' || by === 0) throw unreadable(part, field);
    const [from, to] = rangeOf(range, field, step !== undefined);
    if (from > to) throw new Error(`Turn "${part}" of the ${field.name} round: it begins after its end`);
    for (let value = from; value <= to; value += by) values.add(value);
  }
  return [...values].sort((a, b) => a - b);
}

function rangeOf(range: string, field: Field, stepped: boolean): [number, number] {
  // Sunday is there twice; `*` means each day once.
  if (range === '*') return [field.min, field.name === 'day of week' ? 6 : field.max];
  const ends = range.split('-').map((end) => numberOf(end, field));
  const [from, to] = ends;
  if (from === undefined || ends.length > 2) throw unreadable(range, field);
  return [from, to ?? (stepped ? field.max : from)];
}

function numberOf(text: string, field: Field): number {
  const named = field.names?.indexOf(text.toLowerCase()) ?? -1;
  if (named !== -1) return named + field.min;
  if (!/^\d{1,2}$/.test(text)) throw unreadable(text, field);
  const value = Number(text);
  if (value < field.min || value > field.max)
    throw new Error(`Write a ${field.name} from ${field.min} to ${field.max}, not ${value}`);
  return value;
}

function unreadable(text: string, field: Field): Error {
  return new Error(
    `Correct the ${field.name}: "${text}" is no value, range, list or step of ${field.min}-${field.max}`,
  );
}

/** The name of a zone, where it is one that the machine knows. */
export function isZone(name: string): boolean {
  return IANAZone.isValidZone(name);
}

/**
 * The first moment after `after` that a cron line names, both in epoch milliseconds. A time that the clock skips (spring) is the moment at
 * which it goes on; a time that the clock shows twice (autumn) counts once, the first time, unless the hour field begins with `*`.
 * @param zone an IANA name
 */
export function nextTime(cron: Cron, zone: string, after: number): number | undefined {
  const place = IANAZone.create(zone);
  const offsetAt = (at: number): number => place.offset(at) * MINUTE;
  const local = after + offsetAt(after);
  // What was there a while ago on the wall may come once more.
  const first = Math.floor((local - LONGEST_TWICE) / DAY);
  for (let day = first; day < first + FURTHEST_DAYS; day++) {
    if (!fits(cron, day)) continue;
    let best: number | undefined;
    // Asking for offsets is slow, and on most days nothing changes.
    const [before, later] = [offsetAt((day - 1) * DAY), offsetAt((day + 2) * DAY)];
    const even = before === later ? before : undefined;
    for (const hour of cron.hours) {
      const start = day * DAY + hour * 60 * MINUTE;
      if (start + 60 * MINUTE + LONGEST_TWICE < local) continue;
      for (const minute of cron.minutes) {
        const wall = start + minute * MINUTE;
        for (const at of even === undefined ? momentsOf(wall, offsetAt, cron.everyHour) : [wall - even])
          if (at > after && (best === undefined || at < best)) best = at;
        // Later times are later moments, but for those that are there twice.
        if (best !== undefined && (even !== undefined || !cron.everyHour)) return best;
      }
      if (best !== undefined && start - offsetAt(best) > best + LONGEST_TWICE) return best;
    }
    if (best !== undefined) return best;
  }
  return undefined;
}

/** Whether a day, counted from 1970-01-01, is one that the line names. */
function fits({ days, months, weekdays, bothDays }: Cron, day: number): boolean {
  const date = new Date(day * DAY);
  if (!months.has(date.getUTCMonth() + 1)) return false;
  const [byDate, byWeekday] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())];
  return bothDays ? byDate && byWeekday : byDate || byWeekday;
}

/** Moments at which a wall clock shows a time; for one that it skips, the moment at which it goes on. */
function momentsOf(wall: number, offsetAt: (at: number) => number, twice: boolean): number[] {
  const [before, after] = [offsetAt(wall - DAY), offsetAt(wall + DAY)];
  if (before === after) return [wall - before];
  const found = [...new Set([wall - before, wall - after])]
    .filter((at) => at + offsetAt(at) === wall)
    .sort((a, b) => a - b);
  if (found.length > 0) return twice ? found : found.slice(0, 1);
  // Skipped: between the two lies the moment at which the offset changes.
  let [low, high] = [wall - after, wall - before];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle) === before) low = middle;
    else high = middle;
  }
  return [high];
}
