import { closest, flatParent, matches, parentElementOf } from './dom.ts';

/** Roles of elements by name (HTML-AAM), where nothing but the name decides. */
const BY_NAME: Record<string, string> = {
  article: 'article',
  aside: 'complementary',
  b: 'strong',
  blockquote: 'blockquote',
  button: 'button',
  caption: 'caption',
  code: 'code',
  datalist: 'listbox',
  dd: 'definition',
  del: 'deletion',
  details: 'group',
  dialog: 'dialog',
  dt: 'term',
  em: 'emphasis',
  fieldset: 'group',
  figure: 'figure',
  h1: 'heading',
  h2: 'heading',
  h3: 'heading',
  h4: 'heading',
  h5: 'heading',
  h6: 'heading',
  hr: 'separator',
  html: 'document',
  ins: 'insertion',
  li: 'listitem',
  main: 'main',
  mark: 'mark',
  math: 'math',
  menu: 'list',
  meter: 'meter',
  nav: 'navigation',
  ol: 'list',
  optgroup: 'group',
  option: 'option',
  output: 'status',
  p: 'paragraph',
  progress: 'progressbar',
  s: 'deletion',
  search: 'search',
  strong: 'strong',
  sub: 'subscript',
  summary: 'button',
  sup: 'superscript',
  table: 'table',
  tbody: 'rowgroup',
  textarea: 'textbox',
  tfoot: 'rowgroup',
  thead: 'rowgroup',
  time: 'time',
  tr: 'row',
  ul: 'list',
  iframe: 'iframe',
};

const INPUTS: Record<string, string> = {
  button: 'button',
  checkbox: 'checkbox',
  // HTML-AAM names no role for it; Chromium tells of the button that it draws.
  file: 'button',
  image: 'button',
  number: 'spinbutton',
  radio: 'radio',
  range: 'slider',
  reset: 'button',
  submit: 'button',
  hidden: '',
};

/** Roles an author may give; anything else in `role` is passed over, as browsers do. */
const KNOWN = new Set(
  (
    'alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox complementary ' +
    'contentinfo definition deletion dialog document emphasis feed figure form generic grid gridcell group heading image img ' +
    'insertion link list listbox listitem log main mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter ' +
    'navigation none note option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search ' +
    'searchbox separator slider spinbutton status strong subscript superscript switch tab table tablist tabpanel term textbox time ' +
    'timer toolbar tooltip tree treegrid treeitem'
  ).split(' '),
);

const SECTIONING = 'article, aside, main, nav, section';

/** The ARIA role of an element: the author's where it is a real one, else what HTML gives; '' for none. */
export function roleOf(element: Element): string {
  const given = element.getAttribute('role');
  for (const word of given ? given.toLowerCase().split(/\s+/) : []) {
    if (!KNOWN.has(word)) continue;
    if (word !== 'none' && word !== 'presentation') return word === 'image' ? 'img' : word;
    // A focusable or named element keeps its meaning (ARIA, conflict resolution).
    return matches(element, '[tabindex], a[href], button, input, select, textarea, [aria-label]')
      ? nativeRole(element)
      : '';
  }
  return nativeRole(element);
}

function nativeRole(element: Element): string {
  const name = element.localName;
  if (element.namespaceURI === 'http://www.w3.org/2000/svg') return name === 'svg' ? 'img' : name === 'a' ? 'link' : '';
  switch (name) {
    case 'a':
    case 'area':
      return element.hasAttribute('href') ? 'link' : '';
    case 'img':
      return element.getAttribute('alt') === '' && !element.hasAttribute('aria-label') ? '' : 'img';
    case 'input':
      return inputRole(element as HTMLInputElement);
    case 'select':
      return (element as HTMLSelectElement).multiple || (element as HTMLSelectElement).size > 1
        ? 'listbox'
        : 'combobox';
    case 'th':
    case 'td':
      return cellRole(element as HTMLTableCellElement);
    case 'section':
      return hasName(element) ? 'region' : '';
    case 'form':
      return hasName(element) ? 'form' : '';
    case 'header':
      return isInSection(element) ? '' : 'banner';
    case 'footer':
      return isInSection(element) ? '' : 'contentinfo';
    default:
      return BY_NAME[name] ?? (isEditingHost(element) ? 'textbox' : '');
  }
}

function inputRole(input: HTMLInputElement): string {
  const fixed = INPUTS[input.type];
  if (fixed !== undefined) return fixed;
  if (input.hasAttribute('list')) return 'combobox';
  return input.type === 'search' ? 'searchbox' : 'textbox';
}

function cellRole(cell: HTMLTableCellElement): string {
  const grid = cell.closest('table')?.getAttribute('role') ?? '';
  if (cell.localName === 'td') return grid === 'grid' || grid === 'treegrid' ? 'gridcell' : 'cell';
  const scope = cell.getAttribute('scope') ?? '';
  return scope === 'row' ||
    scope === 'rowgroup' ||
    (scope === '' && cell.closest('tbody') && cell.cellIndex === 0 && hasCells(cell))
    ? 'rowheader'
    : 'columnheader';
}

function hasCells(cell: Element): boolean {
  return cell.parentElement?.querySelector(':scope > td') != null;
}

function hasName(element: Element): boolean {
  return element.hasAttribute('aria-label') || element.hasAttribute('aria-labelledby') || element.hasAttribute('title');
}

/** The outermost element of an editable region. */
export function isEditingHost(element: Element): boolean {
  return (
    element instanceof HTMLElement &&
    element.isContentEditable &&
    !(parentElementOf(element) as HTMLElement | null)?.isContentEditable
  );
}

function isInSection(element: Element): boolean {
  const parent = flatParent(element);
  return parent !== null && closest(parent, SECTIONING) !== null;
}
