import { controlOf, elementsIn, flatParent, matches } from '../dom.ts';
import { env, PageError } from '../env.ts';
import { checkState, type Point } from '../find/actionable.ts';
import { describe } from '../find/resolve.ts';
import { acceptsFile } from './accept.ts';
import { press } from './events.ts';

/** How long a page may take to open a file field after a click, milliseconds. */
const OPENS = 1000;

const OPENERS =
  'button, a, summary, input[type="button"], input[type="submit"], input[type="image"], [role="button"], [role="link"], [role="menuitem"]';

export const isFileField = (element: unknown): element is HTMLInputElement =>
  element instanceof HTMLInputElement && element.type === 'file';

/** The file field that an element is, names as its label, or alone holds. */
export function fileFieldOf(element: Element): HTMLInputElement | undefined {
  if (isFileField(element)) return element;
  const control = controlOf(element);
  if (isFileField(control)) return control;
  const inner = [...elementsIn(element)].filter(isFileField);
  return inner.length === 1 ? inner[0] : undefined;
}

/** Whether a click there may open a file field, rather than a drop give it files. */
export function isOpener(element: Element): boolean {
  for (let node: Element | null = element; node; node = flatParent(node)) if (matches(node, OPENERS)) return true;
  return false;
}

/** @throws PageError `element_not_actionable` when a person could not choose these files there */
export function checkField(input: HTMLInputElement, files: readonly { name: string; type: string }[]): void {
  if (input.matches(':disabled')) checkState(input);
  const not = (message: string, details: { reason: string; name?: string }) =>
    new PageError('element_not_actionable', message, { details });
  if (files.length > 1 && !input.multiple)
    throw not(`Give ${describe(input)} one file: it takes no more.`, { reason: 'not multiple' });
  if (input.webkitdirectory)
    throw not(`Name another field: ${describe(input)} takes whole folders only.`, { reason: 'folder' });
  const wrong = files.find((file) => !acceptsFile(input.accept, file));
  if (wrong)
    throw not(`Give ${describe(input)} files that it accepts (${input.accept}): ${wrong.name} is none.`, {
      reason: 'accept',
      name: wrong.name,
    });
}

/**
 * Puts files into a field as a choice in the browser's own dialog does, and tells the page.
 * @throws PageError `element_not_actionable` when the field does not hold them
 */
export async function giveFiles(input: HTMLInputElement, files: File[]): Promise<void> {
  input.files = transferOf(files).files;
  if (!holds(input, files)) throw refused(input);
  input.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  input.dispatchEvent(new Event('change', { bubbles: true }));
  await env().frame();
  await env().sleep(0);
  // A page that has taken them may empty the field, so that the same file can be chosen again. Others in it are none of ours.
  if (input.files?.length && !holds(input, files)) throw refused(input);
}

function holds(input: HTMLInputElement, files: File[]): boolean {
  const now = [...(input.files ?? [])];
  return (
    now.length === files.length &&
    files.every(({ name, size }, index) => now[index]?.name === name && now[index]?.size === size)
  );
}

function refused(input: HTMLInputElement): PageError {
  return new PageError(
    'element_not_actionable',
    `Look at ${describe(input)}: it does not hold the files that it was given.`,
    { details: { reason: 'value' } },
  );
}

function transferOf(files: File[]): DataTransfer {
  const transfer = new DataTransfer();
  for (const file of files) transfer.items.add(file);
  return transfer;
}

/**
 * Clicks what opens a file field, and keeps the browser's dialog from opening. A field that is not in the page is put there for that moment by
 * what runs in the page's own world (see the adapter), so that its click is seen here.
 * @throws PageError `element_not_actionable` when none is opened
 */
export async function openedField(element: Element, point: Point): Promise<HTMLInputElement> {
  let field: HTMLInputElement | undefined;
  const seen = (event: Event): void => {
    const [target] = event.composedPath();
    if (!isFileField(target)) return;
    event.preventDefault();
    field = target;
  };
  window.addEventListener('click', seen, { capture: true });
  try {
    await press(point, { button: 'left', count: 1, modifiers: [] });
    const end = env().now() + OPENS;
    while (!field && env().now() < end) await env().sleep(20);
  } finally {
    window.removeEventListener('click', seen, { capture: true });
  }
  if (field) return field;
  throw new PageError(
    'element_not_actionable',
    `Name the file field itself: a click on ${describe(element)} opens none.`,
    {
      details: { reason: 'no field' },
    },
  );
}

/**
 * Drops files on an element, as far as it takes any.
 * @param begin called right before the drop
 * @throws PageError `element_not_actionable` when it takes none
 */
export async function dropFiles(element: Element, point: Point, files: File[], begin: () => void): Promise<void> {
  const dataTransfer = env().transfer(files);
  const fire = (type: string): boolean => {
    const { x, y } = point;
    const at = { clientX: x, clientY: y, screenX: x + screenX, screenY: y + screenY, view: window };
    const init = { bubbles: true, cancelable: type !== 'dragleave', composed: true, dataTransfer, ...at };
    return !point.hit.dispatchEvent(new DragEvent(type, init));
  };
  const entered = fire('dragenter');
  await env().frame();
  if (!fire('dragover') && !entered) {
    fire('dragleave');
    throw noZone(element);
  }
  begin();
  if (!fire('drop')) throw noZone(element);
  await env().frame();
}

function noZone(element: Element): PageError {
  return new PageError(
    'element_not_actionable',
    `Name a file field, or a place to drop files on: ${describe(element)} takes none.`,
    { details: { reason: 'no field' } },
  );
}
