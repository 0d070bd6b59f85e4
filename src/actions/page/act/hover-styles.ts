import { closest, flatParent, matches, parentElementOf, shadowOf } from '../dom.ts';
import { type HoverRules, MARK, restated } from './hover-rules.ts';

/**
 * Events from a script do not make the browser draw `:hover`, and pages show menus and buttons by that alone. So the elements under our
 * pointer that such a rule asks for get a mark, and those rules are said again for the mark. All of it is taken back when the pointer
 * moves on, when a person's own pointer comes, when the run lets the page go, and when it has left it alone for long.
 */

type Root = Document | ShadowRoot;

/** How long nothing is asked of the page before the mark is taken back: whoever hovered has died. Milliseconds. */
const GIVE_UP = 300_000;

const marked = new Set<Element>();
/** What the rules of a document or shadow tree say, as far as they were when they were read. */
const read = new WeakMap<Root, HoverRules & { key: string }>();
/** Where they are said again. */
const stated = new Map<Root, { text: string; sheet: CSSStyleSheet }>();
let listening = false;
let idle: ReturnType<typeof setTimeout> | undefined;

/** Has an element drawn as if a person's pointer were over it, and what was drawn so before no more. */
export function showHovered(hit: Element): void {
  const chain = new Set<Element>();
  for (let node: Element | null = hit; node; node = flatParent(node)) chain.add(node);
  // An editor takes a strange attribute inside of it for an edit.
  for (const element of chain) {
    const parent = parentElementOf(element);
    if (parent && closest(parent, '[contenteditable=""], [contenteditable="true"]')) chain.delete(element);
  }
  unmark((element) => !chain.has(element));
  for (const root of stated.keys()) if (root instanceof ShadowRoot && !root.isConnected) stated.delete(root);
  const known = new Map<Root, HoverRules>();
  const rulesOf = (root: Root): HoverRules => {
    const rules = known.get(root) ?? readRules(root);
    known.set(root, rules);
    return rules;
  };
  for (const element of chain) {
    const root = element.getRootNode() as Root;
    const inner = shadowOf(element);
    const roots = [
      ...(asksFor(rulesOf(root), element) ? [root] : []),
      ...(inner && rulesOf(inner).host ? [inner] : []),
    ];
    // Each tree has the rules said again, whether or not the element has its mark already.
    if (!roots.map((one) => restate(one, rulesOf(one).text)).includes(true) || marked.has(element)) continue;
    element.setAttribute(MARK, '');
    marked.add(element);
  }
  if (marked.size === 0) {
    endHover();
    return;
  }
  keepHover();
  if (listening) return;
  listening = true;
  // Where a person's own pointer comes, ours is gone.
  addEventListener('pointermove', (event) => event.isTrusted && endHover(), { capture: true, passive: true });
}

/** Something was asked of the page: what it shows is still wanted. */
export function keepHover(): void {
  if (stated.size === 0) return;
  clearTimeout(idle);
  idle = setTimeout(endHover, GIVE_UP);
}

/** Takes all of it back. */
export function endHover(): void {
  clearTimeout(idle);
  unmark(() => true);
  for (const [root, { sheet }] of stated) {
    if (root.adoptedStyleSheets.includes(sheet))
      root.adoptedStyleSheets = root.adoptedStyleSheets.filter((one) => one !== sheet);
  }
  stated.clear();
}

function unmark(which: (element: Element) => boolean): void {
  for (const element of marked) {
    if (!which(element)) continue;
    element.removeAttribute(MARK);
    marked.delete(element);
  }
}

/** Whether a rule is about the pointer over this very element, as far as its selector tells. */
function asksFor({ compounds }: HoverRules, element: Element): boolean {
  return compounds === 'any' || compounds.some((one) => fits(element, one));
}

function fits(element: Element, compound: string): boolean {
  try {
    return matches(element, compound);
  } catch {
    return true;
  }
}

/** The rules of a document or shadow tree for the pointer; read anew where its style sheets have changed. */
function readRules(root: Root): HoverRules {
  const none: HoverRules = { text: '', compounds: [], host: false };
  try {
    const own = stated.get(root)?.sheet;
    const theirs = [...root.styleSheets, ...root.adoptedStyleSheets].filter((sheet) => sheet !== own);
    const key = theirs.map((sheet) => `${sheet.disabled ? '-' : ''}${countOf(sheet)}`).join();
    const known = read.get(root);
    if (known?.key === key) return known;
    const rules = { ...restated(theirs.filter(({ disabled }) => !disabled)), key };
    read.set(root, rules);
    return rules;
  } catch {
    // Not every browser lets us. What a page looks like is never worth failing an act.
    return none;
  }
}

/** Says rules again. @returns whether it could be done */
function restate(root: Root, text: string): boolean {
  const own = stated.get(root);
  try {
    const sheet = own?.sheet ?? new CSSStyleSheet();
    if (own?.text !== text) sheet.replaceSync(text);
    if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    stated.set(root, { text, sheet });
    return true;
  } catch {
    return false;
  }
}

function countOf(sheet: CSSStyleSheet): number | string {
  try {
    return sheet.cssRules.length;
  } catch {
    return 'x';
  }
}
