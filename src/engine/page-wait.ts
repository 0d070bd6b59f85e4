import { TabloomError } from '../model/errors.ts';
import { isObject, type Json } from '../model/json.ts';
import { globMatches, parsePattern, patternCovered, siteAllows } from './values/sites.ts';

/** What a `wait` for a page looks for. */
export interface PageWanted {
  /** Match pattern, or an address with `*` for any characters; what stands after a `#` is held against the fragment. */
  url: string;
  /** CSS selector of an element that must be there and visible. */
  selector?: string;
}

/** Whom the commands name that the background gives itself. */
export const BACKGROUND = 'background';

const NO_PATH = /^[^/?#]+:\/\/[^/?#]+(?=$|#)/;

/** Match pattern and fragment of an address that is waited for. Without a path it means the root of the site. */
function partsOf(url: string): { pattern: string; fragment?: string } {
  const whole = url.replace(NO_PATH, (origin) => `${origin}/`);
  const at = whole.indexOf('#');
  return at === -1 ? { pattern: whole } : { pattern: whole.slice(0, at), fragment: whole.slice(at + 1) };
}

/** What is wrong with an address to wait for, in a sentence; `undefined` for a good one. */
export function pageUrlProblem(url: string): string | undefined {
  try {
    parsePattern(partsOf(url).pattern);
    return undefined;
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

/** Whether every page that the address matches is one of the sites. */
export function pageWithinSites(sites: readonly string[], url: string): boolean {
  const { pattern } = partsOf(url);
  const each = pattern.startsWith('*://') ? ['http', 'https'].map((scheme) => scheme + pattern.slice(1)) : [pattern];
  return each.every((one) => patternCovered(sites, one));
}

/** Whether a page at an address is one that is waited for. Without a `#` in what is wanted, the page's fragment does not count. */
export function pageFits(wanted: string, url: string): boolean {
  const { pattern, fragment } = partsOf(wanted);
  if (!siteAllows([pattern], url)) return false;
  return fragment === undefined || globMatches(fragment, new URL(url).hash.slice(1));
}

/** What a wait for a page kept in its `data`; `undefined` where it is none. */
export function pageWanted(data: Json | undefined): PageWanted | undefined {
  if (!isObject(data) || typeof data.url !== 'string') return undefined;
  return { url: data.url, ...(typeof data.selector === 'string' ? { selector: data.selector } : {}) };
}

/** Resolved `page` of a step. @throws TabloomError `input_invalid`, and `site_not_allowed` for pages outside of `sites` */
export function readPage(step: string, page: Json | undefined, sites: readonly string[]): PageWanted {
  const wanted = pageWanted(page);
  const selector = isObject(page) ? page.selector : undefined;
  if (!wanted || (selector !== undefined && (typeof selector !== 'string' || selector.trim() === ''))) {
    const message = `${step}: give \`page\` a \`url\`, and if need be a \`selector\`, as texts.`;
    throw new TabloomError('input_invalid', message, { step });
  }
  const bad = pageUrlProblem(wanted.url);
  if (bad !== undefined) throw new TabloomError('input_invalid', `${step}: ${bad}.`, { step });
  if (!pageWithinSites(sites, wanted.url))
    throw new TabloomError('site_not_allowed', notWithin(wanted.url), { step, details: { url: wanted.url } });
  return wanted;
}

/** Says that pages which are waited for are none of the workflow's sites. */
export function notWithin(url: string): string {
  return `Add ${url} to the workflow's sites, or wait for a page of one of them.`;
}
