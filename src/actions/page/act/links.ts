import { flatParent } from '../dom.ts';
import { env } from '../env.ts';

/** A link that hands out a file. */
export interface CaughtLink {
  href: string;
  /** As the page suggests it; may be empty. */
  name: string;
  /** Whether the page says that it is a download. */
  attribute: boolean;
}

/** The link that an element is in, where it leads to a file or another page; a place on this page or a script is none. */
export function linkOf(element: Element): CaughtLink | undefined {
  for (let node: Element | null = element; node; node = flatParent(node)) {
    if (node instanceof HTMLAnchorElement || node instanceof HTMLAreaElement) return leadsAway(node);
  }
  return undefined;
}

function leadsAway(link: HTMLAnchorElement | HTMLAreaElement): CaughtLink | undefined {
  if (!link.hasAttribute('href') || !/^(https?|blob|data):/.test(link.href)) return undefined;
  const bare = (url: string): string => url.replace(/#.*$/, '');
  if (!link.hasAttribute('download') && bare(link.href) === bare(location.href)) return undefined;
  return { href: link.href, name: link.download, attribute: link.hasAttribute('download') };
}

/** Where a click leads in a tab of its own. */
export interface NewTab {
  href: string;
  /** The browser was kept from opening it: it would have taken the click for a script's, and blocked it as a pop-up. */
  kept: boolean;
}

/** Watches whether a click follows a link into a tab of its own. @returns tells, and ends it */
export function watchNewTab(): () => NewTab | undefined {
  let found: NewTab | undefined;
  const seen = (event: Event): void => {
    const [target] = event.composedPath();
    if (event.defaultPrevented || found) return;
    for (let node = target instanceof Element ? target : null; node; node = flatParent(node)) {
      if (!(node instanceof HTMLAnchorElement || node instanceof HTMLAreaElement)) continue;
      if (!/^https?:/.test(node.href) || !/^_blank$/i.test(node.target)) return;
      const kept = env().browser.blocksNewTabs;
      if (kept) event.preventDefault();
      found = { href: node.href, kept };
      return;
    }
  };
  // After all that the page does itself.
  window.addEventListener('click', seen);
  return () => {
    window.removeEventListener('click', seen);
    return found;
  };
}

/**
 * Catches links that are followed by script to hand out a file: those that say so, and those to data of the page. The browser does not follow
 * them then. A link that is not in the page is put there for that moment by what runs in the page's own world (see the adapter).
 * @returns ends it
 */
export function catchLinks(found: (link: CaughtLink) => void): () => void {
  const seen = (event: Event): void => {
    const [target] = event.composedPath();
    const link = target instanceof Element ? linkOf(target) : undefined;
    if (event.defaultPrevented || !link || !(link.attribute || /^(blob|data):/.test(link.href))) return;
    event.preventDefault();
    found(link);
  };
  window.addEventListener('click', seen, { capture: true });
  return () => window.removeEventListener('click', seen, { capture: true });
}
