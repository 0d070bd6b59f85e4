/**
 * Text that came from a page, a model or a file, safe for a terminal: control characters (which could move the cursor, hide or
 * rewrite what a person reads before a decision) and direction overrides become `�`. Line breaks and tabs stay.
 */
export function printable(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(/[\p{Cc}\p{Bidi_Control}]/gu, (sign) => (/[\n\t]/.test(sign) ? sign : '\ufffd'));
}

/** Puts `indent` before each line. */
export function indented(text: string, indent: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? line : indent + line))
    .join('\n');
}

/** A text in one line of at most `max` characters. */
export function oneLine(text: string, max = 160): string {
  const line = printable(text.replace(/\s+/g, ' ').trim());
  return line.length > max ? `${line.slice(0, max - 1)}…` : line;
}

/** `14 ms`, `1.4 s`, `2 min 5 s`: durations as the terminal shows them, milliseconds in. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60_000) / 1000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
