import type { Problem } from '../../model/workflow.ts';

export function error(code: string, pointer: string, message: string, step?: string): Problem {
  return { code, severity: 'error', pointer, message, step };
}

export function warning(code: string, pointer: string, message: string, step?: string): Problem {
  return { code, severity: 'warning', pointer, message, step };
}

/** A part of a JSON pointer, escaped (RFC 6901). */
export function escapePointer(part: string | number): string {
  return String(part).replaceAll('~', '~0').replaceAll('/', '~1');
}
