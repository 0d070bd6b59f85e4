/** The part of the browser's permissions that says what was granted. */
export interface Permissions {
  contains(what: { origins: string[] }): Promise<boolean>;
}

/** What a picture of a page needs: access to one site is not enough for the browser. */
export const ALL_PAGES = '<all_urls>';

/**
 * Whether the person has granted everything that a match pattern stands for (`https://example.com/*`, `*://*.example.com:8443/*`). Never
 * throws: what the browser cannot read is not granted.
 */
export async function isGranted(permissions: Permissions, pattern: string): Promise<boolean> {
  const ask = (one: string): Promise<boolean> => permissions.contains({ origins: [one] }).catch(() => false);
  // Access to every page is a pattern without a path.
  if (pattern === `${ALL_PAGES}/*`) return ask(ALL_PAGES);
  if (await ask(pattern)) return true;
  // Firefox knows no ports in match patterns (https://bugzilla.mozilla.org/show_bug.cgi?id=1362809). Where a browser does, one without
  // a port means every port, so asking for it as well never finds more than was granted.
  const bare = pattern.replace(/:\d+\/\*$/, '/*');
  return bare !== pattern && ask(bare);
}
