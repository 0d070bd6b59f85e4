import { isLocalHost } from '../../engine/values/local-network.ts';
import { isForAnyHost, originOf, originsOf, siteAllows } from '../../engine/values/sites.ts';
import { TabloomError } from '../../model/errors.ts';
import type { PageBrowser } from './browser-api.ts';
import { isGranted } from './granted.ts';

/** What an act is checked against. */
export interface GateRules {
  sites: string[];
  approvedOrigin?: string;
}

/** Whether an origin is granted, asked while the tab was asked where it is. */
export interface Foreseen {
  origin: string;
  granted: Promise<boolean>;
}

/** Decides whether a page may be touched: its scheme, the workflow's sites, the person's grant, the approval. Asked before every act. */
export class Gate {
  readonly #permissions: PageBrowser['permissions'];

  constructor(browser: PageBrowser) {
    this.#permissions = browser.permissions;
  }

  /**
   * @param foreseen from {@link foresee}, asked for in the same act
   * @returns the origin of the address.
   * @throws TabloomError `site_not_allowed`, `permission_denied` with `details: {origin}`, `approval_mismatch`.
   */
  async check(url: string, rules: GateRules, foreseen?: Foreseen): Promise<string> {
    const origin = originOf(url);
    if (origin === undefined) {
      throw new TabloomError('site_not_allowed', `Use an http or https page: ${shorten(url)} is none.`, {
        details: { url: shorten(url) },
      });
    }
    if (!siteAllows(rules.sites, url)) {
      if (isLocalHost(new URL(url).hostname) && rules.sites.some(isForAnyHost)) {
        throw new TabloomError(
          'site_not_allowed',
          `Name ${origin} in the workflow's sites by its host if it should work there: it is of this computer or its network, which no pattern for any host reaches.`,
          { details: { origin, reason: 'local_network' } },
        );
      }
      throw new TabloomError(
        'site_not_allowed',
        `Add ${origin} to the workflow's sites if it should work there: it is none of them.`,
        {
          details: { origin },
        },
      );
    }
    if (rules.approvedOrigin !== undefined && rules.approvedOrigin !== origin) {
      throw new TabloomError(
        'approval_mismatch',
        `Approve again: it was approved for ${rules.approvedOrigin}, and the page is now of ${origin}.`,
        {
          details: { approved: rules.approvedOrigin, origin },
        },
      );
    }
    const granted = foreseen?.origin === origin ? foreseen.granted : this.granted(origin);
    if (!(await granted)) throw denied(origin);
    return origin;
  }

  /** Asks for the grant of the page that a tab is likely to show, for {@link check} right after. */
  foresee(url: string): Foreseen | undefined {
    const origin = originOf(url);
    return origin === undefined ? undefined : { origin, granted: this.granted(origin) };
  }

  /**
   * The browser hides the address of a page that the person has not granted. What is thrown then: the grant that is missing, where the
   * workflow's sites leave only one answer, else that the page is none of its sites.
   */
  async hidden(lastUrl: string, rules: GateRules): Promise<TabloomError> {
    const last = originOf(lastUrl);
    if (last !== undefined && siteAllows(rules.sites, lastUrl) && !(await this.granted(last))) return denied(last);
    for (const pattern of originsOf(rules.sites)) {
      if (!(await isGranted(this.#permissions, pattern))) return denied(pattern.replace(/\/\*$/, ''));
    }
    return new TabloomError(
      'site_not_allowed',
      "Bring the tab back, then retry: it is on a page that is none of the workflow's sites.",
      {
        details: { last: last ?? null },
      },
    );
  }

  granted(origin: string): Promise<boolean> {
    return isGranted(this.#permissions, `${origin}/*`);
  }
}

function denied(origin: string): TabloomError {
  return new TabloomError('permission_denied', `Allow Tabloom to work on ${origin}.`, { details: { origin } });
}

function shorten(url: string): string {
  return url.length > 100 ? `${url.slice(0, 99)}…` : url;
}
