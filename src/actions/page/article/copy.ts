import { flatChildren } from '../dom.ts';
import { isSealed } from '../sealed.ts';
import { isTextSeen, isUnseen, lookAnew, SEEN, type Sight, sightOf } from '../seen.ts';
import { bare } from '../text.ts';
import { isDropped } from '../visibility.ts';

/** Elements that are left out with all that is in them: no text of an article, or nothing that may be copied. */
const LEFT_OUT = new Set(
  (
    'script style noscript template head link meta base iframe frame object embed applet canvas audio video source track svg map ' +
    'input select textarea button datalist option dialog'
  ).split(' '),
);
/** Elements that keep their name; any other becomes a `div` or a `span`, so that none of the page's own elements wakes up in the copy. */
const KEPT = new Set(
  (
    'a abbr address article aside b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption ' +
    'figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i img ins kbd li main mark nav ol p pre q rp rt ruby s samp section small span ' +
    'strong sub summary sup table tbody td tfoot th thead time tr tt u ul var'
  ).split(' '),
);
/** What tells main text from the rest, and what is read of it. */
const ATTRIBUTES = [
  'id',
  'class',
  'role',
  'rel',
  'itemprop',
  'itemtype',
  'lang',
  'dir',
  'alt',
  'datetime',
  'colspan',
  'rowspan',
  'start',
];
/** More of a page is not copied. */
const MOST_NODES = 100_000;

/**
 * What a person can read of this page, as a document of its own that does nothing: shadow trees in place, hidden content, fields and secrets
 * left out, addresses absolute, and no attribute that could act. The page is only looked at.
 */
export function copyOfPage(): Document {
  lookAnew();
  const copy = document.implementation.createHTMLDocument(bare(document.title));
  copy.documentElement.lang = document.documentElement.lang;
  for (const meta of document.querySelectorAll('meta[name][content], meta[property][content]')) {
    const twin = copy.createElement('meta');
    for (const name of ['name', 'property', 'content'])
      if (meta.hasAttribute(name)) twin.setAttribute(name, bare(meta.getAttribute(name) ?? ''));
    copy.head.append(twin);
  }
  const root = sightOf(document.documentElement, getComputedStyle(document.documentElement), SEEN);
  const count = { nodes: 0 };
  if (document.body)
    copyInto(copy.body, document.body, sightOf(document.body, getComputedStyle(document.body), root), count);
  return copy;
}

function copyInto(target: Element, element: Element, sight: Sight, count: { nodes: number }): void {
  const copy = target.ownerDocument;
  const style = getComputedStyle(element);
  const closed = element instanceof HTMLDetailsElement && !element.open;
  const readable = sight.visible && !isUnseen(sight) && !closed;
  for (const child of flatChildren(element)) {
    count.nodes += 1;
    if (count.nodes > MOST_NODES) return;
    if (child instanceof Text) {
      if (child.data.trim() === '') target.append(copy.createTextNode(child.data));
      else if (readable && isTextSeen(child, style)) target.append(copy.createTextNode(bare(child.data)));
      continue;
    }
    if (!(child instanceof Element) || LEFT_OUT.has(child.localName) || isSealed(child)) continue;
    const own = getComputedStyle(child);
    if (isDropped(child, own)) continue;
    const inner = sightOf(child, own, sight);
    const twin = copy.createElement(nameFor(child, own));
    copyAttributes(twin, child);
    if (child.localName === 'img' && (isUnseen(inner) || !inner.visible || !twin.hasAttribute('src'))) continue;
    copyInto(twin, child, inner, count);
    target.append(twin);
  }
}

function nameFor(element: Element, style: CSSStyleDeclaration): string {
  if (KEPT.has(element.localName)) return element.localName;
  return style.display.startsWith('inline') ? 'span' : 'div';
}

function copyAttributes(twin: Element, element: Element): void {
  for (const name of ATTRIBUTES) {
    const value = element.getAttribute(name);
    if (value !== null) twin.setAttribute(name, bare(value));
  }
  if (element instanceof HTMLAnchorElement && element.hasAttribute('href')) {
    const address = absolute(element.getAttribute('href') ?? '', /^(https?|mailto):$/);
    if (address !== undefined) twin.setAttribute('href', address);
  }
  if (element instanceof HTMLImageElement) {
    const address = absolute(element.currentSrc || element.getAttribute('src') || '', /^https?:$/);
    if (address !== undefined) twin.setAttribute('src', address);
  }
}

/** An address as the browser would follow it, if it is of a kind that may be kept. */
function absolute(address: string, kinds: RegExp): string | undefined {
  if (!URL.canParse(address, document.baseURI)) return undefined;
  const url = new URL(address, document.baseURI);
  return kinds.test(url.protocol) ? url.href : undefined;
}
