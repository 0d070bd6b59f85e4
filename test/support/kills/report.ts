import { LANDINGS, type Landing, WANTED } from './landing.ts';
import type { Tally } from './matrix.ts';

const NAMES: Record<Landing, string> = {
  ...WANTED,
  timer: 'while waiting for a timer',
  work: 'during other work',
  nothing: 'when nothing was under way',
};

/** How many of each wanted landing there must be: a tenth of all kills. */
export function leastOf(kills: number): number {
  return Math.floor(kills / 10);
}

/** Wanted landings of which there are too few, each with a sentence. */
export function missingIn({ hits }: Tally, kills: number): string[] {
  return Object.entries(WANTED).flatMap(([landing, name]) => {
    const count = hits.filter((hit) => hit.landing === landing).length;
    return count >= leastOf(kills) ? [] : [`${count} kills landed ${name}, and there must be ${leastOf(kills)}`];
  });
}

/** Where the kills have landed, and how fast the worker came back, as text. */
export function reportOf({ hits, comebacks, rounds }: Tally): string {
  const workloads = [...new Set(hits.map(({ workload }) => workload))];
  const count = (landing: Landing, workload?: string) =>
    hits.filter((hit) => hit.landing === landing && (workload === undefined || hit.workload === workload)).length;
  const landed = [
    ['landed', ...workloads, 'all'],
    ...LANDINGS.map((landing) => [NAMES[landing], ...workloads.map((one) => count(landing, one)), count(landing)]),
    ['kills', ...workloads.map((one) => hits.filter(({ workload }) => workload === one).length), hits.length],
  ];
  const times = [
    ['after a kill, from the event that wakes it, ms', 'n', 'median', 'p95', 'most'],
    timesRow(
      'to the begin of the worker',
      comebacks.map(({ begin }) => begin),
    ),
    timesRow(
      'to recovery being done',
      comebacks.map(({ ready }) => ready),
    ),
    timesRow(
      'to the first new entry of a journal',
      comebacks.flatMap(({ wrote }) => wrote ?? []),
    ),
  ];
  return [`${hits.length} kills; ${rounds} rounds have ended right`, '', table(landed), '', table(times)].join('\n');
}

function timesRow(name: string, values: number[]): (string | number)[] {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part: number): number =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0);
  return [name, sorted.length, at(0.5), at(0.95), at(1)];
}

function table(rows: (string | number)[][]): string {
  const texts = rows.map((row) => row.map(String));
  const widths = (texts[0] ?? []).map((_, column) => Math.max(...texts.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  return texts.map(line).join('\n');
}
