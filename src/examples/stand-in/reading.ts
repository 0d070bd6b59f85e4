import type { Line } from './rules.ts';

/** What the stand-in finds in a prompt: the line to grade and the lines to compare it with. */
export interface Found {
  line?: Line;
  lines: Line[];
}

/**
 * Looks for JSON in a prompt: the first object that has an amount and a category is the line, the first list of such objects the
 * report. Everything else is read as text.
 */
export function readPrompt(prompt: string): Found {
  const found: Found = { lines: [] };
  for (const value of jsonIn(prompt)) {
    if (isLine(value)) found.line ??= value;
    else if (Array.isArray(value) && value.length > 0 && value.every(isLine) && found.lines.length === 0)
      found.lines = value;
  }
  return found;
}

function isLine(value: unknown): value is Line {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const keys = Object.keys(value).map((key) => key.toLowerCase());
  return keys.includes('amount') && keys.includes('category');
}

/** Every outermost JSON object or list in a text. */
function* jsonIn(text: string): Generator<unknown> {
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] !== '{' && text[at] !== '[') continue;
    const end = endOf(text, at);
    if (end === undefined) continue;
    try {
      yield JSON.parse(text.slice(at, end)) as unknown;
      at = end - 1;
    } catch {
      // A bracket of plain text; go on behind it.
    }
  }
}

/** The place after the bracket that closes the one at `start`; brackets inside quotes do not count. */
function endOf(text: string, start: number): number | undefined {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (quoted) {
      if (char === '\\') at += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}
