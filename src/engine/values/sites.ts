import { isLocalHost } from './local-network.ts';

/** A match pattern of `sites` (SPEC §1), read. */
export interface SitePattern {
  schemes: ('http' | 'https')[];
  /** Host in lower case without the leading `*.`; empty for any host. */
  host: string;
  subdomains: boolean;
  /** `undefined`: any port. */
  port: number | undefined;
  /** Path with `*` for any characters; matched against path and query. */
  path: string;
  text: string;
}

const FORM = /^(\*|https?):\/\/(\*|(?:\*\.)?[^/*:[\]@\s?#]+|\[[0-9a-f:.]+\])(?::(\d{1,5}|\*))?(\/.*)$/i;

/**
 * Reads a match pattern: `https://*.example.com/list*`, `*://localhost:8080/*`, `<all_urls>`. Only http and https. A port given must
 * match, none (or `*`) means any. @throws Error with a sentence that says what is wrong
 */
export function parsePattern(text: string): SitePattern {
  if (text === '<all_urls>')
    return { schemes: ['http', 'https'], host: '', subdomains: true, port: undefined, path: '/*', text };
  const match = FORM.exec(text);
  if (!match)
    throw new Error(`"${text}" is not a match pattern such as https://example.com/* or https://*.example.com/list*`);
  const [, scheme, hostText, portText, path] = match as unknown as [string, string, string, string | undefined, string];
  const port = portText === undefined || portText === '*' ? undefined : Number(portText);
  if (port !== undefined && (port < 1 || port > 65_535)) throw new Error(`"${text}" has a port that does not exist`);
  const subdomains = hostText.startsWith('*');
  const bare = hostText.replace(/^\*\.?/, '');
  const host = bare === '' ? '' : canonicalHost(bare);
  if (host === undefined) throw new Error(`"${text}" has no valid host name`);
  const lower = scheme.toLowerCase();
  return {
    schemes: lower === '*' ? ['http', 'https'] : [lower as 'http' | 'https'],
    host,
    subdomains,
    port,
    path,
    text,
  };
}

/** Host as URLs have it: lower case, Punycode, no final dot. `undefined` where it is none. */
function canonicalHost(host: string): string | undefined {
  try {
    const { hostname } = new URL(`http://${host}/`);
    return hostname === '' ? undefined : hostname.replace(/\.$/, '');
  } catch {
    return undefined;
  }
}

function parseUrl(url: string): URL | undefined {
  try {
    const parsed = new URL(url);
    return parsed.protocol === 'http:' || parsed.protocol === 'https:' ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/**
 * True when one of the patterns allows the address. Anything but http and https is never allowed, nor is a pattern that cannot be read. One
 * for any host (`<all_urls>`) does not reach this machine and its network: those are to be named by host.
 */
export function siteAllows(patterns: readonly string[], url: string): boolean {
  const parsed = parseUrl(url);
  if (!parsed) return false;
  return patterns.some((text) => {
    try {
      return matches(parsePattern(text), parsed);
    } catch {
      return false;
    }
  });
}

/** Whether a pattern is for any host. */
export function isForAnyHost(text: string): boolean {
  try {
    return parsePattern(text).host === '';
  } catch {
    return false;
  }
}

function matches(pattern: SitePattern, url: URL): boolean {
  const scheme = url.protocol.slice(0, -1);
  if (!pattern.schemes.some((one) => one === scheme)) return false;
  const host = url.hostname.replace(/\.$/, '');
  if (pattern.host === '' && isLocalHost(host)) return false;
  if (pattern.host !== '' && host !== pattern.host && !(pattern.subdomains && host.endsWith(`.${pattern.host}`)))
    return false;
  const port = url.port === '' ? (scheme === 'https' ? 443 : 80) : Number(url.port);
  if (pattern.port !== undefined && pattern.port !== port) return false;
  return globMatches(pattern.path, `${url.pathname}${url.search}`);
}

/** `*` for any run of characters, everything else to the letter. Linear: each part is looked for after the one before. */
export function globMatches(glob: string, text: string): boolean {
  const parts = glob.split('*');
  const first = parts[0] as string;
  if (parts.length === 1) return text === glob;
  if (!text.startsWith(first)) return false;
  const last = parts.at(-1) as string;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/**
 * True when whatever the inner pattern matches, one of the outer ones matches too. The stars of the inner path are held against those of the
 * outer one as any other character: only a star can take them. A pattern that cannot be read covers nothing and is covered by nothing.
 */
export function patternCovered(outer: readonly string[], inner: string): boolean {
  const within = (text: string, wanted: SitePattern): boolean => {
    try {
      return covers(parsePattern(text), wanted);
    } catch {
      return false;
    }
  };
  try {
    const wanted = parsePattern(inner);
    return outer.some((text) => within(text, wanted));
  } catch {
    return false;
  }
}

function covers(outer: SitePattern, inner: SitePattern): boolean {
  if (!inner.schemes.every((scheme) => outer.schemes.includes(scheme))) return false;
  if (outer.port !== undefined && outer.port !== inner.port) return false;
  if (!globMatches(outer.path, inner.path)) return false;
  if (outer.host === '') return inner.host === '' || !namesLocal(inner);
  if (inner.host === outer.host) return outer.subdomains || !inner.subdomains;
  return outer.subdomains && inner.host.endsWith(`.${outer.host}`);
}

/** Whether a pattern with a host is for this machine or its network. `*.com` is for what has a dot, whatever `com` alone would be. */
function namesLocal({ host, subdomains }: SitePattern): boolean {
  return isLocalHost(subdomains && !host.includes('.') ? `any.${host}` : host);
}

/** Origin of an address (`https://example.com:8443`); `undefined` for what has none we may touch. */
export function originOf(url: string): string | undefined {
  return parseUrl(url)?.origin;
}

/**
 * What to ask `chrome.permissions` for so that the patterns can be used: one origin pattern each, without port and path, which grants
 * cannot hold. Patterns that cannot be read are left out.
 */
export function originsOf(patterns: readonly string[]): string[] {
  const origins = new Set<string>();
  for (const text of patterns) {
    try {
      const { schemes, host, subdomains } = parsePattern(text);
      const scheme = schemes.length === 2 ? '*' : schemes[0];
      origins.add(`${scheme}://${host === '' ? '*' : subdomains ? `*.${host}` : host}/*`);
    } catch {
      // Preflight has reported it.
    }
  }
  return [...origins];
}
