import { flatChildren, flatParent, matches } from '../dom.ts';
import { nameOf } from '../name.ts';
import { elementOf, refOf } from '../refs.ts';
import { roleOf } from '../role.ts';
import { isSealed, tells } from '../sealed.ts';
import { isBoxReachable, isTextSeen, isUnseen, lookAnew, SEEN, type Sight, sightOf } from '../seen.ts';
import { bare, clip, fold, textOf, tidy } from '../text.ts';
import { isDropped } from '../visibility.ts';
import { FOLD_AT, type SnapNode } from './node.ts';
import { options, shownValue, statesOf } from './states.ts';

/** Roles whose whole content is their name: nothing is written below them. */
const LEAVES = new Set(
  'button checkbox radio switch option menuitem menuitemcheckbox menuitemradio tab textbox searchbox spinbutton slider progressbar meter img scrollbar separator math'.split(
    ' ',
  ),
);
/** Roles named by what is in them; the content is left out where it says no more than the name. */
const NAMED_BY_CONTENT = new Set(['link', 'heading', 'treeitem']);
/** Roles whose content is written, so that only a name of the author's says more. */
const NAMED_BY_AUTHOR = new Set(
  'article blockquote caption cell code columnheader definition gridcell group list listitem paragraph region row rowheader term time'.split(
    ' ',
  ),
);
/** Roles that are seen through, those of words in a text among them. */
const SEEN_THROUGH = new Set(
  ['', 'generic', 'document', 'rowgroup'].concat(
    'deletion emphasis insertion mark strong subscript superscript'.split(' '),
  ),
);
/** Roles that need no ref, unless a script makes them clickable: nobody acts on them. */
const NO_REF = new Set('blockquote caption cell code definition paragraph rowheader separator term time'.split(' '));
/** Roles that say nothing where nothing is in them. */
const NOTHING_ALONE = new Set(
  'article blockquote group list listitem main navigation paragraph region row complementary'.split(' '),
);
/** Fields that pages hide to draw their own in their place. */
const FIELDS = new Set('checkbox radio switch textbox combobox listbox slider spinbutton'.split(' '));
const ACTED_ON = new Set(
  'button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio option radio searchbox slider spinbutton switch tab textbox treeitem'.split(
    ' ',
  ),
);
const SKIP = new Set(['script', 'style', 'noscript', 'template', 'head', 'title', 'meta', 'link']);
const LONGEST = 400;
/** A name that is told to assistive technology and not shown is cut shorter. */
const LONGEST_TOLD = 120;

/** What of a tree is built in full. */
export interface Plan {
  /** All of it; else items of long lists that will be folded are only counted, since names are what costs time on large pages. */
  whole: boolean;
  /** Items of one long list that are wanted, by the ref of what holds it and their place in it. */
  from?: { holder: string; index: number; most: number };
}

/** Where nodes go: the ref of what will hold them, and how many are in it already. */
interface Place {
  holder: string;
  index: number;
}

const TOP: Place = { holder: 'top', index: 0 };

/** Builds the tree of what a person can read below an element; hidden content is left out, elements without a role are seen through. */
export function buildTree(root: Element, plan: Plan): SnapNode[] {
  lookAnew();
  return elementNodes(root, sightAround(root), plan, TOP);
}

/** The whole of a node that was only counted. */
export function unfold(node: SnapNode): SnapNode {
  if (node.folded === undefined || node.ref === undefined) return node;
  const element = elementOf(node.ref);
  return elementNodes(element, sightAround(element), { whole: true }, TOP)[0] ?? { ...node, folded: undefined };
}

/** A mark of what is in an element, to tell whether it has changed. */
export function markOf(element: Element): string {
  const text = element.textContent ?? '';
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return `${text.length}/${hash}`;
}

function sightAround(root: Element): Sight {
  const chain: Element[] = [];
  for (let node = flatParent(root); node; node = flatParent(node)) chain.unshift(node);
  return chain.reduce((sight, node) => sightOf(node, getComputedStyle(node), sight), SEEN);
}

function elementNodes(element: Element, outer: Sight, plan: Plan, place: Place): SnapNode[] {
  if (SKIP.has(element.localName)) return [];
  const style = getComputedStyle(element);
  if (isDropped(element, style)) return [];
  // What is drawn above the page has none of its holders' effects.
  const sight = sightOf(element, style, isOnTop(element) ? SEEN : outer);
  const role = roleOf(element);
  if (isSealed(element) && !FIELDS.has(role)) return [sealedNode(element)];
  if (SEEN_THROUGH.has(role)) return seenThrough(element, style, sight, plan, place);
  const hidden = !sight.visible || isUnseen(sight) || !isBoxReachable(element);
  if (hidden) {
    const field = FIELDS.has(role) ? !isStoodInFor(element) : element.matches('input[type="file"]');
    if (field && sight.visible && hasSeenLabel(element)) return [nodeOf(element, role, style, sight, plan)];
    return childNodes(element, style, sight, plan, place);
  }
  const node = nodeOf(element, role, style, sight, plan);
  const empty = node.children.length === 0 && !node.value;
  if (empty && ((NOTHING_ALONE.has(role) && !node.name) || (isOfNoSize(element) && !hasSeenLabel(element)))) return [];
  return [node];
}

/** A page that draws a list of its own often keeps the browser's field inside of it, where nobody sees it. */
function isStoodInFor(element: Element): boolean {
  return element instanceof HTMLSelectElement && element.parentElement?.closest('[role="combobox"]') != null;
}

/** A secret was filled into something that has not the role of a field. */
function sealedNode(element: Element): SnapNode {
  return { role: 'textbox', name: '', states: [], ref: refOf(element), value: '••••', children: [] };
}

function isOnTop(element: Element): boolean {
  return (
    (element.localName === 'dialog' || element.hasAttribute('popover')) && matches(element, ':modal, :popover-open')
  );
}

function seenThrough(element: Element, style: CSSStyleDeclaration, sight: Sight, plan: Plan, place: Place): SnapNode[] {
  const inner = childNodes(element, style, sight, plan, place);
  if (element instanceof HTMLLabelElement) return withoutLabelOf(element, inner);
  const clickable = sight.visible && inner.length > 0 && isClickable(element, style) && !hasControl(inner);
  return clickable ? [wrap(element, inner)] : inner;
}

function nodeOf(element: Element, role: string, style: CSSStyleDeclaration, sight: Sight, plan: Plan): SnapNode {
  const node: SnapNode = { role, name: '', states: statesOf(element, role), children: [] };
  if (!NO_REF.has(role) || isClickable(element, style)) node.ref = refOf(element);
  node.name = shownName(element, role);
  if (isSealed(element) && tells(element, node.name)) node.name = '';
  const value = shownValue(element, role);
  if (value !== undefined) node.value = clip(value, LONGEST);
  if (element instanceof HTMLSelectElement) node.children = options(element);
  else if (!LEAVES.has(role) && !isSealed(element)) {
    node.children = childNodes(element, style, sight, plan, { holder: refOf(element), index: 0 });
    // A fold names what it is in.
    if (node.children.some(({ folded }) => folded !== undefined)) node.ref = refOf(element);
  }
  if (NAMED_BY_CONTENT.has(role) && saysNoMore(node)) node.children = [];
  if (LEAVES.has(role) && role !== 'img' && node.name === '' && value === undefined)
    node.name = clip(tidy(bare(textOf(element))), LONGEST_TOLD);
  return simplify(node);
}

/** The name by what is seen; where that is nothing, as with a button that is a picture, the one that is told. */
function shownName(element: Element, role: string): string {
  if (NAMED_BY_AUTHOR.has(role)) {
    if (!element.hasAttribute('aria-label') && !element.hasAttribute('aria-labelledby')) return '';
    return clip(tidy(bare(nameOf(element))), LONGEST_TOLD);
  }
  const shown = tidy(bare(nameOf(element, isUnseenPart)));
  if (shown || !(ACTED_ON.has(role) || role === 'img')) return clip(shown, LONGEST);
  return clip(tidy(bare(nameOf(element))), LONGEST_TOLD);
}

function isUnseenPart(part: Element | Text): boolean {
  if (part instanceof Element) return isUnseen(sightOf(part, getComputedStyle(part), SEEN));
  const holder = flatParent(part);
  return part.data.trim() !== '' && holder !== null && !isTextSeen(part, getComputedStyle(holder));
}

/** A label that is seen and stands for a field: boxes and switches are drawn that way. */
function hasSeenLabel(element: Element): boolean {
  for (const label of (element as Partial<HTMLInputElement>).labels ?? []) {
    const around = sightOf(label, getComputedStyle(label), sightAround(label));
    if (!isUnseen(around) && around.visible && !isOfNoSize(label) && isBoxReachable(label)) return true;
  }
  return false;
}

/** Neither it nor anything in it has a box. */
function isOfNoSize(element: Element): boolean {
  let looked = 0;
  const sized = (one: Element): boolean => {
    const { width, height } = one.getBoundingClientRect();
    return width > 1 && height > 1;
  };
  if (sized(element)) return false;
  for (const inner of element.querySelectorAll('*')) if (looked++ > 50 || sized(inner)) return false;
  return true;
}

/** A label's text is its field's name already. */
function withoutLabelOf(label: HTMLLabelElement, inner: SnapNode[]): SnapNode[] {
  const { control } = label;
  if (!control || !inner.some(({ role }) => role === 'text')) return inner;
  const name = fold(nameOf(control));
  return inner.filter((node) => node.role !== 'text' || !name.includes(fold(node.name)));
}

/** A cell or list item with a single text is written on one line. */
function simplify(node: SnapNode): SnapNode {
  const [only] = node.children;
  if (node.children.length !== 1 || only?.role !== 'text' || node.name !== '' || node.value) return node;
  return { ...node, value: only.name, children: [] };
}

function saysNoMore(node: SnapNode): boolean {
  const texts = node.children.every((child) => child.role === 'text' || child.role === 'code' || child.role === 'img');
  return texts && node.name !== '';
}

/** A text as the page writes it, until it is known what stands beside it. */
interface TextNode extends SnapNode {
  raw?: string;
}

function childNodes(element: Element, style: CSSStyleDeclaration, sight: Sight, plan: Plan, place: Place): SnapNode[] {
  const nodes: SnapNode[] = [];
  // What a closed one holds has a place, and is not drawn.
  const closed = element instanceof HTMLDetailsElement && !element.open;
  const readable = sight.visible && !isUnseen(sight) && !closed;
  let text = '';
  let run = { role: '', length: 0 };
  const flush = (): void => {
    const tidied = clip(tidy(bare(text)), LONGEST);
    if (tidied) {
      run = { role: '', length: 0 };
      const node: TextNode = { role: 'text', name: tidied, states: [], children: [], raw: text };
      nodes.push(node);
    }
    text = '';
  };
  for (const child of flatChildren(element)) {
    if (child instanceof Text) {
      if (child.data.trim() === '') text += ' ';
      else if (readable && isTextSeen(child, style)) text += child.data;
      continue;
    }
    if (!(child instanceof Element)) continue;
    if (child.localName === 'br') {
      text += ' ';
      continue;
    }
    const role = plan.whole ? '' : roleOf(child);
    if (
      role !== '' &&
      role === run.role &&
      isToFold(run.length, place.index + nodes.length, plan, place.holder) &&
      !isDropped(child)
    ) {
      flush();
      nodes.push({ role, name: '', states: [], ref: refOf(child), children: [], folded: markOf(child) });
      run.length += 1;
      continue;
    }
    const inner = elementNodes(child, sight, plan, { holder: place.holder, index: place.index + nodes.length });
    const [only] = inner as TextNode[];
    // Inline elements without a role (a word in bold) do not break the text they are in.
    if (inner.length === 1 && only?.raw !== undefined && getComputedStyle(child).display.startsWith('inline')) {
      text += only.raw;
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

/** Whether the next of a run is only counted: it will be folded, or lies before or after what is wanted. */
function isToFold(run: number, index: number, { from }: Plan, holder: string): boolean {
  if (run <= FOLD_AT) return false;
  if (!from || from.holder !== holder) return true;
  // Texts that stand between may not be counted yet.
  return index < from.index - 2 || index >= from.index + from.most;
}

/** Elements that only a script makes into buttons: they need a ref to be clicked by. */
function isClickable(element: Element, style: CSSStyleDeclaration): boolean {
  if (element.hasAttribute('onclick')) return true;
  const index = element.getAttribute('tabindex');
  if (index !== null && index !== '-1') return true;
  if (style.cursor !== 'pointer') return false;
  const parent = flatParent(element);
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
