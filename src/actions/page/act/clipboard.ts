import { env, PageError } from '../env.ts';
import { isSealed } from '../sealed.ts';
import { isField, selectionOf } from './caret.ts';
import { edit, takesText } from './edit.ts';

/**
 * Copy, cut and paste by keys, with the events that a page hears of them. What is copied stays in this document: the clipboard is the person's,
 * and is neither read nor written.
 */

/** What was copied last, by media type. */
let kept: ReadonlyMap<string, string> | undefined;

/**
 * Copies or cuts what is selected.
 * @returns whether the page said that it does it itself
 */
export async function copy(at: Element, how: 'copy' | 'cut'): Promise<boolean> {
  const event = env().clipboardEvent(how);
  const text = selectedText(at);
  if (!at.dispatchEvent(event)) {
    const { clipboardData: data } = event;
    kept = new Map(Array.from(data?.types ?? [], (type) => [type, data?.getData(type) ?? '']));
    return true;
  }
  if (text === '') return false;
  kept = new Map([['text/plain', text]]);
  return how === 'cut' && takesText(at) ? edit(at, 'deleteByCut') : false;
}

/**
 * Pastes what was copied.
 * @returns whether the page said that it does it itself
 * @throws PageError `element_not_actionable` where nothing was copied in this document
 */
export async function paste(at: Element): Promise<boolean> {
  if (!kept) {
    throw new PageError(
      'element_not_actionable',
      "Use fill or type for a text, or copy something in this page first: a person's own clipboard is not read.",
      { details: { reason: 'nothing copied' } },
    );
  }
  if (!at.dispatchEvent(env().clipboardEvent('paste', kept))) return true;
  const text = kept.get('text/plain') ?? '';
  if (text === '' || !takesText(at)) return false;
  return edit(at, 'insertFromPaste', at instanceof HTMLInputElement ? text.replace(/[\r\n]+/g, ' ') : text);
}

/** Nothing of a secret: it would be readable where it is put. */
function selectedText(at: Element): string {
  if (isField(at)) {
    const selected = selectionOf(at);
    if (isSealed(at)) return '';
    if (selected) return at.value.slice(selected.start, selected.end);
  }
  const selection = getSelection();
  if (!selection || selection.rangeCount === 0 || holdsSecret(selection.getRangeAt(0))) return '';
  return selection.toString();
}

/** Whether an editable region that holds a secret is around a range, or reaches into it. What fields hold is no part of one. */
function holdsSecret(range: Range): boolean {
  const around = range.commonAncestorContainer;
  for (let node: Node | null = around; node; node = node.parentNode)
    if (node instanceof Element && isSealed(node)) return true;
  if (!(around instanceof Element)) return false;
  return [...around.querySelectorAll('*')].some((one) => isSealed(one) && !isField(one) && range.intersectsNode(one));
}
