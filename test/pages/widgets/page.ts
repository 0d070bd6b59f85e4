/** Puts a page's markup in place, before its widget starts. */
export function markup(html: string): void {
  document.body.innerHTML = html;
}

/** Tells the test the state that the application holds, as its widget has told it; never what the DOM shows. */
export function expose(state: () => unknown): void {
  Object.assign(window, { state });
}

/** @throws Error when the markup has no such element. */
export function at<E extends HTMLElement = HTMLElement>(selector: string): E {
  const element = document.querySelector<E>(selector);
  if (!element) throw new Error(`no ${selector}`);
  return element;
}

/** What the form of every framework holds; all begin with the same. */
export interface Model {
  name: string;
  amount: number | null;
  kind: string;
  agree: boolean;
  pay: string;
  notes: string;
  day: string;
  level: number;
  tags: string[];
}

export const INITIAL: Model = {
  name: 'Old name',
  amount: 1,
  kind: '',
  agree: false,
  pay: 'cash',
  notes: 'old',
  day: '2026-01-01',
  level: 5,
  tags: ['a'],
};
