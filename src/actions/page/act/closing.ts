import { flatParent } from '../dom.ts';
import { env } from '../env.ts';
import { setValue } from './caret.ts';
import { forgetEdit } from './focus.ts';

/** What Escape does: closes the topmost popover or modal dialog, as the browser would; empties a search field. */
export async function closeTopmost(at: Element): Promise<void> {
  const popover = [...document.querySelectorAll<HTMLElement>('[popover]:popover-open')]
    .filter((one) => one.popover !== 'manual')
    .at(-1);
  const dialog = [...document.querySelectorAll<HTMLDialogElement>('dialog:modal')].at(-1);
  if (popover && !(dialog && popover.contains(dialog))) {
    popover.hidePopover();
  } else if (dialog) {
    const cancel = new Event('cancel', { cancelable: true });
    const close = dialog.dispatchEvent(cancel);
    await env().turn();
    if (close && dialog.open) dialog.close();
  } else {
    emptySearch(at);
  }
}

function emptySearch(at: Element): void {
  for (let node: Element | null = at; node; node = flatParent(node)) {
    if (!(node instanceof HTMLInputElement) || node.type !== 'search' || node.value === '' || node.readOnly) continue;
    setValue(node, '');
    node.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    node.dispatchEvent(new Event('change', { bubbles: true }));
    forgetEdit(node);
  }
}
