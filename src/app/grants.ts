import { isGranted } from '../adapters/browser/granted.ts';
import { parsePattern, type SitePattern } from '../engine/values/sites.ts';
import type { BackgroundBrowser } from './browser-api.ts';

/**
 * Which sites the person has granted, asked of the browser each time. A pattern without a port means any port, in `sites` as in
 * Chromium's grants; a Chromium grant with a port is for that port only. Firefox knows no ports in patterns at all.
 */
export class Grants {
  readonly #permissions: BackgroundBrowser['permissions'];

  constructor(browser: Pick<BackgroundBrowser, 'permissions'>) {
    this.#permissions = browser.permissions;
  }

  /** Granted match patterns, sorted. */
  async list(): Promise<string[]> {
    return [...((await this.#permissions.getAll()).origins ?? [])].sort();
  }

  /** Whether everything that an origin or origin pattern (`https://example.com`, `*://*.example.com`) stands for is granted. */
  covers(origin: string): Promise<boolean> {
    return isGranted(this.#permissions, `${origin}/*`);
  }

  /**
   * Origins that a workflow wants and has not. One counts as granted when a grant covers it wholly, and also when grants cover some of its
   * ports or schemes on that very host: the site `http://127.0.0.1/*` with a grant of `http://127.0.0.1:8123/*`. Whoever granted that meant
   * that port; every act is checked again, and one on another port waits for its own grant. A part of the hosts (`https://*.example.com/*`
   * with a grant of one sub-domain) is not enough, since a run would as a rule stop at its first page. Unreadable patterns are left out:
   * preflight reports them.
   * @returns origins without path, for example `https://*.example.com`, `http://127.0.0.1:8123`
   */
  async missing(sites: readonly string[]): Promise<string[]> {
    const granted = (await this.list()).flatMap(read);
    const missing = new Set<string>();
    for (const site of sites.flatMap(read)) {
      const origin = originOf(site);
      if (missing.has(origin) || granted.some((grant) => coversInPart(grant, site))) continue;
      if (!(await this.covers(origin))) missing.add(origin);
    }
    return [...missing];
  }
}

function read(pattern: string): SitePattern[] {
  try {
    return [parsePattern(pattern)];
  } catch {
    return [];
  }
}

function originOf({ schemes, host, subdomains, port }: SitePattern): string {
  const scheme = schemes.length === 2 ? '*' : schemes[0];
  const name = host === '' ? '*' : subdomains ? `*.${host}` : host;
  return `${scheme}://${name}${port === undefined ? '' : `:${port}`}`;
}

/** All hosts of the site, at least one of its schemes, at least one of its ports. */
function coversInPart(grant: SitePattern, site: SitePattern): boolean {
  if (!site.schemes.some((scheme) => grant.schemes.includes(scheme))) return false;
  if (site.port !== undefined && grant.port !== undefined && site.port !== grant.port) return false;
  if (grant.host === '') return true;
  if (site.host === grant.host) return grant.subdomains || !site.subdomains;
  return grant.subdomains && site.host.endsWith(`.${grant.host}`);
}
