/** What the tasks of MiniWoB++ say, read. All take the text of the task, white space already collapsed. */

/** Texts in double quotes, in order. */
export function quoted(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"/g)].map(([, inner]) => inner ?? '');
}

/** @throws Error where the text is not of the form that the task is known to have */
export function read(text: string, pattern: RegExp): string[] {
  const found = pattern.exec(text);
  if (!found) throw new Error(`The task says something else than expected: ${text}`);
  return found.slice(1);
}

/** `Select a, b and click Submit.`, `Select words similar to a, b and click Submit.` */
export function listed(text: string): string[] {
  const [all = ''] = read(
    text,
    /^Select (?:words similar to )?(.*?)(?: from the (?:scroll )?list)? and click Submit\.$/,
  );
  return all === 'nothing' ? [] : all.split(', ');
}

/** Index from 0 of the first `1st`, `2nd`, `14th` in the text. */
export function ordinal(text: string): number {
  return Number(read(text, /(\d+)(?:st|nd|rd|th)\b/)[0]) - 1;
}

/** `12/31/2016` anywhere: year, month from 1, day. */
export function date(text: string): { year: number; month: number; day: number } {
  const [month, day, year] = read(text, /(\d{2})\/(\d{2})\/(\d{4})/).map(Number);
  return { year: year ?? 0, month: month ?? 0, day: day ?? 0 };
}

/** `3:05 PM` anywhere, as a time field wants it: `15:05`. */
export function time(text: string): string {
  const [hours = '', minutes, half] = read(text, /(\d{1,2}):(\d{2}) ?([AP]M)/);
  return `${String((Number(hours) % 12) + (half === 'PM' ? 12 : 0)).padStart(2, '0')}:${minutes}`;
}

/** `7 x 3 =` */
export function calculate(text: string): number {
  const [a, sign, b] = read(text, /(\d+) ([-+x]) (\d+) =/);
  const [left, right] = [Number(a), Number(b)];
  return sign === 'x' ? left * right : sign === '+' ? left + right : left - right;
}

/** `x + 3 = 40`, `7 - x = 40`: x. */
export function solveForX(text: string): number {
  const [a, sign, b, result] = read(text, /(x|\d+) ([-+]) (x|\d+) = (\d+)/);
  const sum = Number(result);
  if (sign === '+') return sum - Number(a === 'x' ? b : a);
  return a === 'x' ? sum + Number(b) : Number(a) - sum;
}

/** `2h 35m`, in minutes. */
export function minutes(text: string): number {
  const [hours, rest] = read(text, /(\d+)h (\d+)m/);
  return Number(hours) * 60 + Number(rest);
}

/** What a shape is to be like; an empty part says nothing. */
export interface ShapeWish {
  size: string;
  color: string;
  /** `item`, `shape`, `letter`, `digit`, a kind of shape, or the letter or digit itself. */
  what: string;
}

/** `Click on a large red triangle`, `How many small items are there?` */
export function shapeWish(text: string): ShapeWish {
  const [size = '', color = '', what = ''] = read(
    text,
    /^(?:Click on a|How many) (?:(large|small) )?(?:(red|green|blue|aqua|black|magenta|yellow) )?(.+?)(?:s are there\?)?$/,
  ).map((part) => part ?? '');
  return { size, color, what };
}

/** Where `Drag NAME to the 3rd position.` takes an item of a list, from where it is; indexes from 0, `columns` wide. */
export function dragGoal(text: string, from: number, count: number, columns: number): number {
  const GRID: Record<string, number> = {
    'top left': 0,
    'top center': 1,
    'top right': 2,
    'center left': 3,
    center: 4,
    'center right': 5,
    'bottom left': 6,
    'bottom center': 7,
    'bottom right': 8,
  };
  if (/ to the \d+\w\w position\.$/.test(text)) return ordinal(text);
  const [direction] = /(up|down|left|right) by one/.exec(text)?.slice(1) ?? [];
  if (direction) return from + { up: -columns, down: columns, left: -1, right: 1 }[direction as 'up'];
  const [place = ''] = read(text, / to the ([a-z ]+)\.$/);
  if (columns > 1) return GRID[place] ?? Number.NaN;
  return place === 'top' ? 0 : count - 1;
}

export interface Mail {
  task: 'reply' | 'forward' | 'delete' | 'star';
  by: string;
  to?: string;
  message?: string;
}

/** `Find the email by Ann and reply to them with the text "Yes.".` and its like. */
export function mail(text: string): Mail {
  const [by = '', what = ''] = read(text, /^Find the email by (.+?) and (.*)$/);
  if (what.startsWith('reply')) return { task: 'reply', by, message: quoted(what)[0] ?? '' };
  if (what.startsWith('forward')) return { task: 'forward', by, to: read(what, /to (.+)\.$/)[0] ?? '' };
  return { task: what.includes('trash') ? 'delete' : 'star', by };
}

/** `Create a 1.5 hours event named "Gym", between 12PM and 4PM.`: hours in halves from midnight. */
export function appointment(text: string): { name: string; halves: number; from: number } {
  const [length, unit, name = '', hour, half] = read(
    text,
    /^Create a ([\d.]+) (hours?|mins?) event named "(.+)", between (\d+)([AP]M) and/,
  );
  const halves = unit?.startsWith('hour') ? Number(length) * 2 : Number(length) / 30;
  return { name, halves, from: ((Number(hour) % 12) + (half === 'PM' ? 12 : 0)) * 2 };
}
