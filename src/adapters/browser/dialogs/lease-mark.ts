import { ACTIVE, ANSWER_MARK, type DialogAnswer, LEASE_MARK } from './channel.ts';

/** The functions of a window that open a dialog and wait for it. */
export const DIALOG_FUNCTIONS = ['alert', 'confirm', 'prompt', 'print'] as const;

function marks(): readonly { name: string; description: string }[] {
  const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  // Firefox has none of it outside secure contexts.
  return (entry?.serverTiming as PerformanceServerTiming[] | undefined) ?? [];
}

/** Whether this document was loaded in a tab that a run drives: a header says so, which the browser adds for those tabs alone. */
export function hasLeaseMark(): boolean {
  return marks().some(({ name }) => name === LEASE_MARK);
}

/** The answer to dialogs that came with the document. */
export function answerMark(): DialogAnswer | undefined {
  const mark = marks().find(({ name }) => name === ANSWER_MARK);
  if (!mark) return undefined;
  try {
    const { accept, text } = JSON.parse(decodeURIComponent(mark.description)) as Record<string, unknown>;
    return { accept: accept === true, ...(typeof text === 'string' ? { text } : {}) };
  } catch {
    return undefined;
  }
}

/** Whether this is a document without an address of its own (`about:blank`, `about:srcdoc`, `blob:`): it goes by its parent. */
export function isAddressless(): boolean {
  return !/^https?:$/.test(location.protocol);
}

/** Whether the guard is at work in the frame around this one; to be asked in the page's world. */
export function isParentGuarded(): boolean {
  try {
    const { parent } = window;
    if (parent === window) return false;
    return DIALOG_FUNCTIONS.some((name) => Reflect.get(parent[name], ACTIVE) === true);
  } catch {
    // Of another origin.
    return false;
  }
}
