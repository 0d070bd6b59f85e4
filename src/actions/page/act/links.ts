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

/** What runs in the page's own world says of a form that a script sends, which has no event of its own. */
export const FORM_SENT = 'tabloom:sent';

/** A form on its way. */
export interface SentForm {
  action: string;
  /** Lower case. */
  method: string;
  target: string;
}

/**
 * Notices forms that are sent.
 * @returns ends it
 */
export function noticeSent(found: (sent: SentForm) => void): () => void {
  const seen = (event: Event): void => {
    const [form] = event.composedPath();
    if (!(form instanceof HTMLFormElement)) return;
    const { submitter } = event as SubmitEvent;
    const of = (name: string): string =>
      (submitter?.getAttribute(`form${name}`) ?? Element.prototype.getAttribute.call(form, name) ?? '').trim();
    // Whether the page prevents it is known once all of its listeners have run.
    queueMicrotask(() => {
      if (event.defaultPrevented) return;
      found({
        action: addressOf(of('action')),
        method: of('method').toLowerCase(),
        target: of('target') || baseTarget(),
      });
    });
  };
  const types = ['submit', FORM_SENT];
  for (const type of types) window.addEventListener(type, seen, { capture: true });
  return () => {
    for (const type of types) window.removeEventListener(type, seen, { capture: true });
  };
}

function addressOf(address: string): string {
  return URL.canParse(address, document.baseURI) ? new URL(address, document.baseURI).href : '';
}

function baseTarget(): string {
  return document.querySelector('base[target]')?.getAttribute('target') ?? '';
}

/** Whether a target is a new tab or window in any case. */
function isNewTab(target: string): boolean {
  return target.trim().toLowerCase() === '_blank';
}

/** A new tab that is asked for. */
export interface NewTab {
  address: string;
  /** The browser was kept from opening it: it would have taken the click for a script's, and blocked it as a pop-up. */
  kept: boolean;
}

/**
 * Notices links and forms that are followed into a new tab, by our click or by a script of the page after it. Where the browser would block
 * such links, it is kept from them, as far as the page lets us hear of its clicks.
 * @returns ends it
 */
export function noticeNewTabs(found: (tab: NewTab) => void): () => void {
  const seen = (event: Event): void => {
    const address = newTabOf(event);
    if (address !== undefined) queueMicrotask(() => event.defaultPrevented || found({ address, kept: false }));
  };
  // After all that the page does itself.
  const keep = (event: Event): void => {
    const address = event.defaultPrevented ? undefined : newTabOf(event);
    if (address === undefined || !/^https?:/.test(address)) return;
    event.preventDefault();
    found({ address, kept: true });
  };
  window.addEventListener('click', seen, { capture: true });
  if (env().browser.blocksNewTabs) window.addEventListener('click', keep);
  const stop = noticeSent(({ action, target }) => {
    if (isNewTab(target)) found({ address: action, kept: false });
  });
  return () => {
    window.removeEventListener('click', seen, { capture: true });
    window.removeEventListener('click', keep);
    stop();
  };
}

/** Where the link that a click is in leads to in a new tab; undefined where it does not. */
function newTabOf(event: Event): string | undefined {
  const [target] = event.composedPath();
  for (let node = target instanceof Element ? target : null; node; node = flatParent(node)) {
    if (!(node instanceof HTMLAnchorElement || node instanceof HTMLAreaElement) || !node.hasAttribute('href')) continue;
    const web = /^(https?|blob):/.test(node.href) && !node.hasAttribute('download');
    return web && isNewTab(node.target || baseTarget()) ? node.href : undefined;
  }
  return undefined;
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
