import type { MessageKey, Translator } from '../messages/index.ts';

/** What looking at one thing came to: one line. */
export interface Check {
  id: string;
  state: CheckState;
  /** One or two sentences on what was found. */
  message: string;
  /** What to do, where something is wrong. */
  todo?: string;
}

export type CheckState = 'ok' | 'warn' | 'fail';

export const GLYPHS: Record<CheckState, string> = { ok: '✓', warn: '!', fail: '✗' };

/** Everything that stands on one line may hold no other. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

export const ok = (id: string, message: string): Check => ({ id, state: 'ok', message: oneLine(message) });
export const warn = (id: string, message: string, todo: string): Check => wrong(id, 'warn', message, todo);
export const fail = (id: string, message: string, todo: string): Check => wrong(id, 'fail', message, todo);

function wrong(id: string, state: CheckState, message: string, todo: string): Check {
  return { id, state, message: oneLine(message), todo: oneLine(todo) };
}

/** Names in a list that stays readable: the first five, and how many more there are. */
export function someOf(names: readonly string[], tr: Translator): string {
  const shown = names.slice(0, 5);
  return tr.list(names.length > shown.length ? [...shown, `+${names.length - shown.length}`] : shown);
}

/** A part of the facts that could not be had. */
export function unlooked(id: string, message: string, tr: Translator): Check {
  return warn(id, tr.t('doctor.unlooked', { message }), tr.t('doctor.unlookedNext'));
}

/** The heading of a check, where the catalogue has one. */
export function labelOf(id: string, tr: Translator): string {
  const key: string = `doctor.label.${id}`;
  return tr.has(key) ? tr.t(key as Extract<MessageKey, `doctor.label.${string}`>) : id;
}

/** True when nothing has failed; what only needs a look counts as well. */
export function allWell(checks: readonly Check[]): boolean {
  return checks.every(({ state }) => state !== 'fail');
}
