import { ACTIVE, type DialogAnswer, LEASE_MARK, readAnswerMark } from './channel.ts';

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

/** The answer to dialogs that came with the document, under one of the marks. */
export function answerMark(name: string): DialogAnswer | undefined {
  const mark = marks().find((one) => one.name === name);
  return mark && readAnswerMark(mark.description);
}

/** Whether this is a document without an address of its own (`about:blank`, `about:srcdoc`, `blob:`): it goes by its parent. */
export function isAddressless(): boolean {
  return !/^https?:$/.test(location.protocol);
}

/** Whether a guard is at work in a window of this origin; to be asked in the page's world. */
export function isGuarded(view: Window & typeof globalThis): boolean {
  return DIALOG_FUNCTIONS.some((name) => Reflect.get(view[name], ACTIVE) === true);
}

/** Whether one is at work in the frame around this one; to be asked in the page's world. */
export function isParentGuarded(): boolean {
  try {
    const { parent } = window;
    return parent !== window && isGuarded(parent as Window & typeof globalThis);
  } catch {
    // Of another origin.
    return false;
  }
}
