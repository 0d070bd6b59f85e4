import { flatChildren } from '../dom.ts';
import { nameOf } from '../name.ts';
import { refOf } from '../refs.ts';
import { roleOf } from '../role.ts';
import { isSealed } from '../sealed.ts';
import { textOf, tidy } from '../text.ts';
import { isDisabled, isDropped } from '../visibility.ts';
import { FOLD_AT, type SnapNode } from './node.ts';

/** Roles whose whole content is their name: nothing is written below them. */
const LEAVES = new Set(
  'button checkbox radio switch option menuitem menuitemcheckbox menuitemradio tab textbox searchbox spinbutton slider progressbar meter img scrollbar separator math'.split(
    ' ',
  ),
);
/** Roles named by what is in them; the content is left out where it says no more than the name. */
const NAMED_BY_CONTENT = new Set([
  'link',
  'heading',
  'cell',
  'gridcell',
  'columnheader',
  'rowheader',
  'treeitem',
  'caption',
  'term',
  'legend',
]);
/** Roles whose name comes from the author alone. Others are not asked for one, since that is what costs time. */
const UNNAMED = new Set([
  '',
  'generic',
  'paragraph',
  'listitem',
  'row',
  'rowgroup',
  'code',
  'blockquote',
  'time',
  'definition',
  'document',
]);
const SKIP = new Set(['script', 'style', 'noscript', 'template', 'head', 'title', 'meta', 'link']);
const LONGEST = 400;

/**
 * Builds the tree of what a person can read below an element; hidden content is left out, elements without a role are seen through.
 * @param whole false leaves items of long lists empty that will be folded anyway: names are what costs time on large pages.
 */
export function buildTree(root: Element, whole: boolean): SnapNode[] {
  return elementNodes(root, true, whole);
}

function elementNodes(element: Element, shown: boolean, whole: boolean): SnapNode[] {
  if (SKIP.has(element.localName) || isDropped(element)) return [];
  const style = getComputedStyle(element);
  const drawn = style.visibility === 'visible';
  const role = roleOf(element);
  if (role === '' || role === 'generic' || role === 'document' || !drawn) {
    const inner = childNodes(element, drawn && shown, whole);
    return isClickable(element, style) && inner.length > 0 && !hasControl(inner) && drawn
      ? [wrap(element, inner)]
      : inner;
  }
  const node: SnapNode = { role, name: '', states: statesOf(element, role), ref: refOf(element), children: [] };
  node.name = clip(UNNAMED.has(role) ? tidy(element.getAttribute('aria-label') ?? '') : nameOf(element));
  const value = shownValue(element, role);
  if (value !== undefined) node.value = clip(value);
  if (element instanceof HTMLSelectElement) node.children = options(element);
  else if (!LEAVES.has(role)) node.children = childNodes(element, true, whole);
  if (NAMED_BY_CONTENT.has(role) && saysNoMore(node)) node.children = [];
  if (LEAVES.has(role) && role !== 'img' && node.name === '' && value === undefined)
    node.name = clip(tidy(textOf(element)));
  return [simplify(node)];
}

/** A cell or list item with a single text is written on one line. */
function simplify(node: SnapNode): SnapNode {
  const [only] = node.children;
  if (node.children.length === 1 && only?.role === 'text' && node.name === '') {
    return { ...node, value: only.name, children: [] };
  }
  return node;
}

function saysNoMore(node: SnapNode): boolean {
  const texts = node.children.every((child) => child.role === 'text' || child.role === 'code' || child.role === 'img');
  return texts && node.name !== '';
}

function childNodes(element: Element, shown: boolean, whole: boolean): SnapNode[] {
  const nodes: SnapNode[] = [];
  let text = '';
  let run = { role: '', length: 0 };
  const flush = (): void => {
    const tidied = clip(tidy(text));
    if (tidied) run = { role: '', length: 0 };
    if (tidied && shown) nodes.push({ role: 'text', name: tidied, states: [], children: [] });
    text = '';
  };
  for (const child of flatChildren(element)) {
    if (child instanceof Text) {
      text += child.data;
      continue;
    }
    if (!(child instanceof Element)) continue;
    if (child.localName === 'br') {
      text += ' ';
      continue;
    }
    const role = roleOf(child);
    if (!whole && role !== '' && role === run.role && run.length > FOLD_AT && !isDropped(child)) {
      flush();
      nodes.push({ role, name: '', states: [], children: [] });
      continue;
    }
    const inner = elementNodes(child, shown, whole);
    const [only] = inner;
    // Inline elements without a role (a word in bold) do not break the text they are in.
    if (inner.length === 1 && only?.role === 'text' && getComputedStyle(child).display.startsWith('inline')) {
      text += ` ${only.name} `;
      continue;
    }
    if (inner.length === 0) continue;
    flush();
    nodes.push(...inner);
    // Counts only where each child is one node, as in lists and tables.
    const plain = inner.length === 1 && only?.role === role;
    run = plain && role === run.role ? { role, length: run.length + 1 } : { role: plain ? role : '', length: 1 };
  }
  flush();
  return nodes;
}

/** Elements that only a script makes into buttons: they need a ref to be clicked by. */
function isClickable(element: Element, style: CSSStyleDeclaration): boolean {
  if (
    element.hasAttribute('onclick') ||
    (element.hasAttribute('tabindex') && element.getAttribute('tabindex') !== '-1')
  )
    return true;
  if (style.cursor !== 'pointer') return false;
  const parent = element.parentElement;
  return !parent || getComputedStyle(parent).cursor !== 'pointer';
}

function hasControl(nodes: SnapNode[]): boolean {
  return nodes.some(
    (node) => (node.role !== 'text' && node.role !== 'img' && node.ref !== undefined) || hasControl(node.children),
  );
}

function wrap(element: Element, inner: SnapNode[]): SnapNode {
  const [only] = inner;
  const text = inner.length === 1 && only?.role === 'text' ? only.name : undefined;
  return {
    role: 'clickable',
    name: text ?? '',
    states: [],
    ref: refOf(element),
    children: text === undefined ? inner : [],
  };
}

function options(select: HTMLSelectElement): SnapNode[] {
  return [...select.options].map((option) => ({
    role: 'option',
    name: clip(tidy(option.label)),
    states: [...(option.selected ? ['selected'] : []), ...(option.disabled ? ['disabled'] : [])],
    children: [],
  }));
}

function shownValue(element: Element, role: string): string | undefined {
  if (element instanceof HTMLInputElement) {
    if (/^(checkbox|radio|button|submit|reset|image|file|hidden)$/.test(element.type)) return undefined;
    return isSealed(element) ? masked(element.value) : element.value;
  }
  if (element instanceof HTMLTextAreaElement) return isSealed(element) ? masked(element.value) : element.value;
  if (element instanceof HTMLSelectElement)
    return [...element.selectedOptions].map((option) => tidy(option.label)).join(', ');
  if (role === 'textbox' || role === 'searchbox') {
    const text = tidy(textOf(element));
    return isSealed(element) ? masked(text) : text;
  }
  return element.getAttribute('aria-valuetext') ?? element.getAttribute('aria-valuenow') ?? undefined;
}

function masked(text: string): string {
  return text === '' ? '' : '••••';
}

const TRUE_STATES = [
  'checked',
  'selected',
  'expanded',
  'pressed',
  'current',
  'required',
  'invalid',
  'readonly',
  'busy',
];

function statesOf(element: Element, role: string): string[] {
  const states: string[] = [];
  if (element instanceof HTMLInputElement && /^(checkbox|radio)$/.test(element.type)) {
    if (element.indeterminate) states.push('checked=mixed');
    else if (element.checked) states.push('checked');
  }
  for (const name of TRUE_STATES) {
    const value = element.getAttribute(`aria-${name}`);
    if (value === 'true' || (value && value !== 'false'))
      states.push(value === 'true' ? name : `${name}=${clip(value)}`);
    else if (value === 'false' && name === 'expanded') states.push('collapsed');
  }
  if (element.matches(':required') && !states.includes('required')) states.push('required');
  if ((element as Partial<HTMLInputElement>).readOnly === true && role !== 'checkbox') states.push('readonly');
  if (element.localName === 'summary')
    states.push((element.parentElement as HTMLDetailsElement | null)?.open ? 'expanded' : 'collapsed');
  if (isDisabled(element)) states.push('disabled');
  if (role === 'heading')
    states.push(`level=${element.getAttribute('aria-level') ?? /^h([1-6])$/.exec(element.localName)?.[1] ?? '2'}`);
  return [...new Set(states)];
}

function clip(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
