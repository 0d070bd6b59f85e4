import { flatParent } from '../dom.ts';

/**
 * Events from a script do not make the browser draw `:hover`, and pages show menus and buttons by that alone. So the elements under our
 * pointer get a mark, and the page's rules for `:hover` are said again for the mark.
 */
const MARK = 'data-tabloom-hover';

const marked = new Set<Element>();
const sheets = new WeakMap<Document | ShadowRoot, { key: string; sheet: CSSStyleSheet }>();
let listening = false;

/** Has an element drawn as if a person's pointer were over it, and what was drawn so before no more. */
export function showHovered(hit: Element): void {
  const chain = new Set<Element>();
  for (let node: Element | null = hit; node; node = flatParent(node)) chain.add(node);
  // An editor takes a strange attribute inside of it for an edit.
  for (const element of chain)
    if (element.parentElement?.closest('[contenteditable=""], [contenteditable="true"]')) chain.delete(element);
  unmark((element) => !chain.has(element));
  const known = new Map<Node, boolean>();
  for (const element of chain) {
    const root = element.getRootNode() as Document | ShadowRoot;
    if (!known.has(root)) known.set(root, restate(root));
    if (!known.get(root) || marked.has(element)) continue;
    element.setAttribute(MARK, '');
    marked.add(element);
  }
  if (listening) return;
  listening = true;
  // Where a person's own pointer comes, ours is gone.
  addEventListener('pointermove', (event) => event.isTrusted && unmark(() => true), { capture: true, passive: true });
}

function unmark(which: (element: Element) => boolean): void {
  for (const element of marked) {
    if (!which(element)) continue;
    element.removeAttribute(MARK);
    marked.delete(element);
  }
}

/** Says the rules of a document or shadow tree again. @returns whether there are any */
function restate(root: Document | ShadowRoot): boolean {
  if (!('adoptedStyleSheets' in root)) return false;
  const own = sheets.get(root);
  const theirs = [...root.styleSheets, ...root.adoptedStyleSheets].filter((sheet) => sheet !== own?.sheet);
  const key = theirs.map((sheet) => rulesOf(sheet)?.length ?? 'x').join();
  if (own?.key === key && root.adoptedStyleSheets.includes(own.sheet)) return own.sheet.cssRules.length > 0;
  try {
    const sheet = own?.sheet ?? new CSSStyleSheet();
    sheet.replaceSync(theirs.map((one) => (one.disabled ? '' : inMedia(one, restated(rulesOf(one))))).join('\n'));
    if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    sheets.set(root, { key, sheet });
    return sheet.cssRules.length > 0;
  } catch {
    // What a page looks like is never worth failing an act.
    return false;
  }
}

/** Rules of a style sheet; those of another origin are not to be read. */
function rulesOf(sheet: CSSStyleSheet): CSSRuleList | undefined {
  try {
    return sheet.cssRules;
  } catch {
    return undefined;
  }
}

function inMedia({ media }: CSSStyleSheet, text: string): string {
  return text && media.length > 0 ? `@media ${media.mediaText} {${text}}` : text;
}

/** The rules in which `:hover` occurs, said for the mark, with all that holds them. */
export function restated(rules: Iterable<CSSRule> | undefined): string {
  let text = '';
  for (const rule of rules ?? []) {
    if (!rule.cssText.includes(':hover') && !('styleSheet' in rule)) continue;
    const { selectorText, style, styleSheet } = rule as Partial<CSSStyleRule & CSSImportRule>;
    if (styleSheet) {
      text += inMedia(styleSheet, restated(rulesOf(styleSheet)));
      continue;
    }
    const inner = restated((rule as Partial<CSSGroupingRule>).cssRules);
    if (selectorText === undefined) {
      const [prelude = ''] = rule.cssText.split('{');
      if (inner) text += `${prelude}{${inner}}`;
      continue;
    }
    const own = selectorText.includes(':hover') ? absolute(style?.cssText ?? '', rule.parentStyleSheet?.href) : '';
    if (own || inner) text += `${selectorText.replaceAll(':hover', `[${MARK}]`)}{${own}${inner}}`;
  }
  return text;
}

/** Addresses in a style sheet are relative to it, and ours has no address. */
function absolute(declarations: string, base: string | null | undefined): string {
  if (!base) return declarations;
  return declarations.replace(/url\("([^"]*)"\)/g, (whole, url: string) =>
    URL.canParse(url, base) ? `url("${new URL(url, base).href}")` : whole,
  );
}
