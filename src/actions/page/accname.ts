import { closest, flatChildren, parentElementOf } from './dom.ts';
import { roleOf } from './role.ts';
import { isSealed } from './sealed.ts';

/**
 * Accessible names by https://www.w3.org/TR/accname-1.2/ and https://www.w3.org/TR/html-aam-1.0/, over the tree as it is drawn: open and
 * closed shadow roots and slots included. Where browsers agree with each other and not with the text, they are followed.
 */

/** Roles that are named by what is in them. */
const FROM_CONTENT = new Set(
  (
    'button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio row rowheader switch ' +
    'tab tooltip treeitem'
  ).split(' '),
);

/** Roles whose content says nothing about what they sit in: they are passed over inside another element's name. */
const NOT_IN_CONTENT = new Set(
  (
    'alertdialog application article banner combobox complementary dialog directory feed figure form grid group img listbox log main ' +
    'marquee menu menubar meter navigation progressbar radiogroup scrollbar search searchbox separator slider spinbutton tablist ' +
    'tabpanel textbox timer toolbar tree treegrid'
  ).split(' '),
);

/** Roles that must not be named. */
const UNNAMEABLE = new Set(
  'caption code deletion emphasis generic insertion mark paragraph presentation none strong subscript superscript'.split(
    ' ',
  ),
);

const RANGES = new Set(['meter', 'progressbar', 'scrollbar', 'slider', 'spinbutton']);

interface Walk {
  visited: Set<Element>;
  /** The traversal began at an element that is hidden: what is hidden in it counts. */
  hidden: boolean;
  /** Inside what `aria-labelledby` refers to. */
  referenced: boolean;
  /** Inside a native label, legend, caption or title. */
  native: boolean;
  /** At the element that is named, labels or is referred to itself, not below it. */
  root: boolean;
  /** Below the element that is named. */
  inside: boolean;
  /** Whether anything is owned by another element than that which holds it; looked up at most once. */
  owning: { known?: boolean };
  /** Parts that do not count. */
  skip: ((part: Element | Text) => boolean) | undefined;
}

/**
 * Accessible name of an element; white space is left as it comes. Empty for one that is hidden, or whose role takes no name.
 * @param skip parts of the content that are passed over with all that is in them
 */
export function accessibleName(element: Element, skip?: (part: Element | Text) => boolean): string {
  if (UNNAMEABLE.has(roleOf(element))) return '';
  if (isHiddenFromAll(element)) return '';
  return alternative(element, {
    visited: new Set(),
    hidden: false,
    referenced: false,
    native: false,
    root: true,
    inside: false,
    owning: {},
    skip,
  });
}

/** Elements that an attribute refers to by id, in its order, each once. */
export function referredBy(element: Element, attribute: string): Element[] {
  const ids = element.getAttribute(attribute)?.split(/\s+/).filter(Boolean) ?? [];
  const root = element.getRootNode() as Document | ShadowRoot;
  return [...new Set(ids.flatMap((id) => root.getElementById?.(id) ?? []))];
}

/** Hidden itself, or inside something hidden: from eyes by style, or from assistive technology. */
function isHiddenFromAll(element: Element): boolean {
  // The options of a closed field are drawn nowhere, and are there.
  const drawn = element instanceof HTMLOptionElement ? (closest(element, 'select') ?? element) : element;
  if (!drawn.checkVisibility({ visibilityProperty: true })) return true;
  for (let node: Element | null = element; node; node = hostOf(node))
    if (closest(node, '[aria-hidden="true"]')) return true;
  return false;
}

function hostOf(element: Element): Element | null {
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? root.host : null;
}

/** Hidden with all that is in it. */
function isHiddenTree(element: Element): boolean {
  if (element.getAttribute('aria-hidden') === 'true') return true;
  const style = getComputedStyle(element);
  if (style.display === 'none' || style.getPropertyValue('content-visibility') === 'hidden') return true;
  const parent = parentElementOf(element);
  return parent instanceof HTMLDetailsElement && !parent.open && parent.querySelector(':scope > summary') !== element;
}

function isVisibilityHidden(element: Element): boolean {
  const { visibility } = getComputedStyle(element);
  return visibility === 'hidden' || visibility === 'collapse';
}

const NEVER = new Set(['script', 'style', 'noscript', 'template', 'head', 'datalist']);

/** Step 2 of the computation for one node. */
function alternative(element: Element, walk: Walk): string {
  if (walk.visited.has(element) || NEVER.has(element.localName)) return '';
  if (walk.inside && walk.skip?.(element)) return '';
  if (!walk.hidden && isHiddenTree(element)) return '';
  const labelled = referredBy(element, 'aria-labelledby');
  if (!walk.referenced && labelled.length > 0) {
    const parts = labelled.map((other) =>
      alternative(other, {
        ...walk,
        hidden: isHiddenFromAll(other),
        referenced: true,
        native: false,
        root: true,
        inside: other !== element,
        skip: undefined,
      }),
    );
    const name = parts.join(' ');
    if (name.trim()) return name;
  }
  // Read once, whatever way leads to it.
  walk.visited.add(element);
  const role = roleOf(element);
  const embedded = (walk.inside || walk.native || walk.referenced) && !labelled.includes(element);
  const value = embedded ? embeddedValue(element, role, walk) : undefined;
  if (value !== undefined) return value;
  const own = element.getAttribute('aria-label') ?? '';
  if (own.trim()) return own;
  const presentation = /^(none|presentation)$/.test(element.getAttribute('role')?.trim() ?? '') && role === '';
  if (!presentation) {
    const native = nativeAlternative(element, walk);
    if (native !== undefined) return native;
  }
  const recursive = walk.inside || walk.native || walk.referenced;
  if (
    FROM_CONTENT.has(role) ||
    element.localName === 'summary' ||
    (recursive && (walk.root || !NOT_IN_CONTENT.has(role)))
  ) {
    const text = contentOf(element, walk);
    if (text.trim() || (walk.inside && text !== '')) return text;
  }
  return presentation && element.localName !== 'iframe' ? '' : tooltipOf(element);
}

/** Step 2C: what a control inside another element's name holds. */
function embeddedValue(element: Element, role: string, walk: Walk): string | undefined {
  if (isSealed(element)) return '';
  if (role === 'textbox' || role === 'searchbox') {
    if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) return element.value;
    return element.textContent ?? '';
  }
  if (role === 'combobox' || role === 'listbox') return chosenIn(element, role, walk);
  if (RANGES.has(role)) {
    return (
      element.getAttribute('aria-valuetext') ??
      element.getAttribute('aria-valuenow') ??
      String((element as Partial<HTMLInputElement>).value ?? element.getAttribute('value') ?? '')
    );
  }
  return role === 'menu' ? '' : undefined;
}

function chosenIn(element: Element, role: string, walk: Walk): string {
  if (element instanceof HTMLSelectElement)
    return [...element.selectedOptions]
      .map((option) => alternative(option, { ...walk, root: true, inside: true }))
      .join(' ');
  const lists = [
    ...element.querySelectorAll('*'),
    ...referredBy(element, 'aria-owns'),
    ...referredBy(element, 'aria-controls'),
  ];
  const list = role === 'listbox' ? element : lists.find((other) => roleOf(other) === 'listbox');
  const owned = list ? [...list.querySelectorAll('*'), ...referredBy(list, 'aria-owns')] : [];
  const chosen = owned.filter((other) => other.getAttribute('aria-selected') === 'true');
  if (chosen.length === 0 && element instanceof HTMLInputElement) return element.value;
  if (chosen.length === 0 && role === 'combobox' && !list) return element.textContent ?? '';
  return chosen.map((option) => alternative(option, { ...walk, root: true, inside: true })).join(' ');
}

/** Step 2E: what HTML and SVG have for naming. `undefined` where they have nothing to say, and the content may. */
function nativeAlternative(element: Element, walk: Walk): string | undefined {
  if (element.namespaceURI === 'http://www.w3.org/2000/svg') return svgTitle(element);
  const title = element.getAttribute('title') ?? '';
  switch (element.localName) {
    case 'input':
      return inputAlternative(element as HTMLInputElement, walk);
    case 'textarea':
      return labelText(element, walk) || title || (element.getAttribute('placeholder') ?? '');
    case 'select':
    case 'meter':
    case 'progress':
    case 'output':
      return labelText(element, walk) || (walk.inside ? undefined : title);
    case 'button':
      return labelText(element, walk) || undefined;
    case 'fieldset':
      return firstOf(element, 'legend', walk) ?? (walk.inside ? undefined : title);
    case 'figure':
      return firstOf(element, 'figcaption', walk) ?? (walk.inside ? undefined : title);
    case 'table':
      return firstOf(element, 'caption', walk) ?? (element.getAttribute('summary') || undefined);
    case 'img':
    case 'area':
      return (element.getAttribute('alt') ?? '').trim() ? (element.getAttribute('alt') as string) : title;
    case 'optgroup':
      return element.getAttribute('label') || undefined;
    case 'option':
      return element.getAttribute('label') || undefined;
    default:
      return undefined;
  }
}

function inputAlternative(input: HTMLInputElement, walk: Walk): string {
  const title = input.getAttribute('title') ?? '';
  const labels = labelText(input, walk);
  switch (input.type) {
    case 'button':
    case 'submit':
    case 'reset':
      if (labels) return labels;
      if (input.value.trim()) return input.value;
      return input.type === 'button' ? title : title || (input.type === 'submit' ? 'Submit' : 'Reset');
    case 'image':
      return labels || (input.getAttribute('alt') ?? '').trim() || title || 'Submit';
    case 'file':
      return labels || title || 'Choose File';
    case 'checkbox':
    case 'radio':
    case 'range':
    case 'color':
      return labels || title;
    default:
      return labels || title || input.placeholder || (input.getAttribute('aria-placeholder') ?? '');
  }
}

/** Text of the label elements of a control, but for what the control itself holds. Nothing once ids are followed. */
function labelText(element: Element, walk: Walk): string {
  if (walk.referenced) return '';
  const labels = [...((element as Partial<HTMLInputElement>).labels ?? [])];
  const parts = labels.map((label) =>
    alternative(label, {
      ...walk,
      visited: new Set(walk.visited).add(element),
      hidden: isHiddenFromAll(label),
      native: true,
      root: true,
      inside: false,
    }),
  );
  return parts.filter((part) => part.trim()).join(' ');
}

function firstOf(element: Element, name: string, walk: Walk): string | undefined {
  const part = [...element.children].find((child) => child.localName === name);
  return part && alternative(part, { ...walk, native: true, root: true, hidden: isHiddenFromAll(part) });
}

function svgTitle(element: Element): string | undefined {
  const part = [...element.children].find((child) => child.localName === 'title');
  // A title is never drawn, and named all the same.
  if (part) return part.textContent ?? '';
  const link = element.localName === 'a' ? element.getAttributeNS('http://www.w3.org/1999/xlink', 'title') : null;
  return link || undefined;
}

function tooltipOf(element: Element): string {
  const title = element.getAttribute('title') ?? '';
  if (title.trim()) return title;
  return element.getAttribute('placeholder') ?? element.getAttribute('aria-placeholder') ?? '';
}

/** Steps 2F and 2H: the content, in the order in which it is drawn, with what a style sheet puts around it. */
function contentOf(element: Element, walk: Walk): string {
  if (isSealed(element)) return '';
  const inner: Walk = { ...walk, root: false, inside: true };
  const shown = walk.hidden || !isVisibilityHidden(element);
  let text = shown ? pseudo(element, '::before') : '';
  for (const child of [...flatChildren(element), ...referredBy(element, 'aria-owns')]) {
    if (child instanceof Text) {
      if (shown && !walk.skip?.(child)) text += child.data;
    } else if (child instanceof Element) {
      if (isOwnedElsewhere(child, element, walk)) continue;
      const part = alternative(child, inner);
      text += isInline(child) ? part : ` ${part} `;
    }
  }
  return text + (shown ? pseudo(element, '::after') : '');
}

/** An element that another one owns is read there. */
function isOwnedElsewhere(child: Element, holder: Element, { owning }: Walk): boolean {
  const id = child.getAttribute('id');
  if (!id || parentElementOf(child) !== holder) return false;
  owning.known ??= document.querySelector('[aria-owns]') !== null || child.getRootNode() !== document;
  if (!owning.known) return false;
  const owner = (child.getRootNode() as Document | ShadowRoot).querySelector?.(`[aria-owns~="${CSS.escape(id)}"]`);
  return owner != null && owner !== holder;
}

function isInline(element: Element): boolean {
  if (element.localName === 'br') return false;
  const { display } = getComputedStyle(element);
  return (
    display === 'inline' ||
    display === 'contents' ||
    (display === 'none' && !/^(div|p|h\d|li)$/.test(element.localName))
  );
}

/** What a style sheet writes before or after an element's content: its texts, or the alternative that it gives for them. */
function pseudo(element: Element, which: '::before' | '::after'): string {
  const style = getComputedStyle(element, which);
  const { content } = style;
  if (!content || content === 'none' || content === 'normal' || content === '-moz-alt-content') return '';
  if (style.display === 'none' || style.visibility === 'hidden') return '';
  const [drawn, told] = splitAlternative(content);
  let text = '';
  for (const [, quoted, single, attribute] of (told ?? drawn).matchAll(
    /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|attr\(\s*([\w-]+)\s*\)/g,
  )) {
    if (attribute !== undefined) text += element.getAttribute(attribute) ?? '';
    else text += (quoted ?? single ?? '').replace(/\\(.)/g, '$1');
  }
  return style.display.startsWith('inline') ? text : ` ${text} `;
}

/** `"drawn" / "told"`, apart; a slash inside quotes is no mark. */
function splitAlternative(content: string): [string, string | undefined] {
  const parts = /^((?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^"'/]|\([^)]*\))*)\/(.*)$/s.exec(content);
  return parts ? [parts[1] as string, parts[2]] : [content, undefined];
}
