import type { Problem } from '../../model/workflow.ts';

/** Said of a file with nothing in it. */
export const EMPTY = 'The file is empty; write an object with format, id, name and steps.';

/**
 * The text of a workflow file. It must be UTF-8 (SPEC §1 files are YAML or JSON): read as anything else, letters would silently become others.
 * A byte-order mark is left out.
 * @returns the text, or what is wrong with line and column
 */
export function decodeSource(bytes: Uint8Array): { text: string } | { problem: Problem } {
  if (bytes.length === 0) return { problem: problemAt(EMPTY, 1, 1) };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { problem: notUtf8(bytes) };
  }
}

function notUtf8(bytes: Uint8Array): Problem {
  // Up to the first byte that is no UTF-8 it reads as it was written; what follows is marked as unreadable.
  const before = new TextDecoder('utf-8').decode(bytes).split('\ufffd', 1)[0] as string;
  const lines = before.split('\n');
  const message = 'Save the file as UTF-8 text: what stands here is something else.';
  return problemAt(message, lines.length, (lines.at(-1) as string).length + 1);
}

function problemAt(message: string, line: number, column: number): Problem {
  return { code: 'schema_invalid', severity: 'error', message, pointer: '', line, column };
}
