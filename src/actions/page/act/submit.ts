import { commitEdit } from './focus.ts';

/** Kinds of field of which a form with several is not sent by Enter, unless it has a button for it. */
const BLOCKS = new Set('text search tel url email password date month week time datetime-local number'.split(' '));

/** What Enter in a field does: tells of its change, and sends the form by its first submit button (HTML, implicit submission). */
export function submitFrom(field: HTMLInputElement): void {
  commitEdit(field);
  const { form } = field;
  if (!form) return;
  const button = submitButtons(form)[0];
  if (button) {
    if (!button.matches(':disabled')) button.click();
    return;
  }
  const fields = [...form.elements].filter((one) => one instanceof HTMLInputElement && BLOCKS.has(one.type));
  if (fields.length <= 1) form.requestSubmit();
}

function submitButtons(form: HTMLFormElement): HTMLElement[] {
  const root = form.getRootNode() as ParentNode;
  const all = root.querySelectorAll<HTMLButtonElement | HTMLInputElement>('button, input');
  return [...all].filter(
    (one) => one.form === form && (one.type === 'submit' || (one instanceof HTMLInputElement && one.type === 'image')),
  );
}
