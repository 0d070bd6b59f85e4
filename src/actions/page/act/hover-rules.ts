/** What the elements under our pointer are marked with. */
export const MARK = 'data-tabloom-hover';

/** What rules for `:hover` say, for the mark in its place, and which elements they ask the pointer to be over. */
export interface HoverRules {
  text: string;
  /** Selectors of one element each; `any` where that cannot be told. */
  compounds: string[] | 'any';
  /** A rule of a shadow tree is about the pointer over its host. */
  host: boolean;
}

/** So many rules are looked at; a page with more shows what it shows without the pointer. */
const MOST_RULES = 30_000;
/** More different elements than this are not told apart. */
const MOST_COMPOUNDS = 500;

interface Reading {
  rules: number;
  compounds: Set<string>;
  any: boolean;
  host: boolean;
}

/** The rules of style sheets in which `:hover` occurs, said for the mark, with all that holds them. */
export function restated(sheets: Iterable<CSSStyleSheet>): HoverRules {
  const reading: Reading = { rules: 0, compounds: new Set(), any: false, host: false };
  const text = [...sheets].map((sheet) => inMedia(sheet, rulesIn(rulesOf(sheet), reading))).join('');
  const any = reading.any || reading.compounds.size > MOST_COMPOUNDS;
  return { text, compounds: any ? 'any' : [...reading.compounds], host: reading.host };
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

function rulesIn(rules: Iterable<CSSRule> | undefined, reading: Reading, around = ''): string {
  let text = '';
  for (const rule of rules ?? []) {
    reading.rules += 1;
    if (reading.rules > MOST_RULES) break;
    const { selectorText, style, styleSheet, cssRules } = rule as Partial<CSSStyleRule & CSSImportRule>;
    if (styleSheet) {
      text += inMedia(styleSheet, rulesIn(rulesOf(styleSheet), reading));
      continue;
    }
    const inner = cssRules && cssRules.length > 0 ? rulesIn(cssRules, reading, selectorText ?? around) : '';
    if (selectorText === undefined) {
      if (inner) text += `${rule.cssText.split('{', 1)[0]}{${inner}}`;
      continue;
    }
    const hovered = selectorText.includes(':hover') ? forMark(selectorText, reading, around) : [];
    if (hovered.length > 0) {
      // All that is nested in it holds with it.
      const nested = [...(cssRules ?? [])].map(({ cssText }) => cssText.replace(HOVER, `[${MARK}]`)).join('');
      text += `${hovered.join(', ')}{${absolute(`${style?.cssText ?? ''}${nested}`, rule.parentStyleSheet?.href)}}`;
    } else if (inner) text += `${selectorText}{${inner}}`;
  }
  return text;
}

const HOVER = /:hover(?![\w-])/g;

/**
 * Those of a list of selectors that ask for the pointer, said for the mark. One that says where it must not be (`:not(:hover)`) holds as it
 * is; said again, it would go before what the page says later of the same elements.
 */
function forMark(list: string, reading: Reading, around: string): string[] {
  return selectorsOf(list).flatMap(({ text, compounds, inside, negated }) => {
    if (negated || (compounds.length === 0 && !inside)) return [];
    if (inside) reading.any = true;
    if (/:host\b/.test(text)) reading.host = true;
    const outer = around && !around.includes('&') ? `:is(${around})` : '*';
    for (const compound of compounds)
      reading.compounds.add(compound.startsWith('&') ? compound.replace('&', outer).replaceAll('&', '') : compound);
    return [text.replace(HOVER, `[${MARK}]`)];
  });
}

interface Selector {
  text: string;
  /** Its parts that ask for the pointer over one element, without that. */
  compounds: string[];
  /** It is asked for inside of another pseudo-class. */
  inside: boolean;
  /** It is asked for that the pointer is elsewhere. */
  negated: boolean;
}

/** The selectors of a list, apart. */
function selectorsOf(list: string): Selector[] {
  const found: Selector[] = [];
  let one: Selector = { text: '', compounds: [], inside: false, negated: false };
  let compound = '';
  const open: string[] = [];
  const endCompound = (): void => {
    if (new RegExp(HOVER.source).test(topOf(compound))) one.compounds.push(bareOf(compound));
    compound = '';
  };
  const parts = list.match(/\\.|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|:hover(?![\w-])|:?[\w-]*\(|[\s\S]/g) ?? [];
  for (const part of parts) {
    if (part.endsWith('(') || part === '[') open.push(part);
    else if ((part === ')' || part === ']') && open.length > 0) open.pop();
    else if (part === ':hover' && open.length > 0) {
      if (open.includes(':not(')) one.negated = true;
      else one.inside = true;
    }
    const top = open.length === 0;
    if (top && part === ',') {
      endCompound();
      found.push({ ...one, text: one.text.trim() });
      one = { text: '', compounds: [], inside: false, negated: false };
      continue;
    }
    one.text += part;
    if (top && /^[\s>+~]$/.test(part)) endCompound();
    else compound += part;
  }
  endCompound();
  return [...found, { ...one, text: one.text.trim() }];
}

/** A compound without what stands in brackets. */
function topOf(compound: string): string {
  let text = compound;
  for (let before = ''; before !== text; ) {
    before = text;
    text = text.replace(/\([^()]*\)|\[[^[\]]*\]/g, '');
  }
  return text;
}

/** A compound as a selector of its element alone. */
function bareOf(compound: string): string {
  const bare = compound.replace(HOVER, '').replace(/::[\w-]+(?:\([^()]*\))?/g, '');
  return bare === '' ? '*' : bare;
}

/** Addresses in a style sheet are relative to it, and ours has no address. */
function absolute(declarations: string, base: string | null | undefined): string {
  if (!base) return declarations;
  return declarations.replace(/url\("([^"]*)"\)/g, (whole, url: string) =>
    URL.canParse(url, base) ? `url("${new URL(url, base).href}")` : whole,
  );
}
