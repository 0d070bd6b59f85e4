/**
 * Public half of the key that fixes the extension's identity. With it in the manifest, every build and every copy of a
 * build has the same id, and so shares IndexedDB, storage and grants. The private half is not kept anywhere: the stores sign.
 */
export const EXTENSION_KEY =
  'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAjw2p62Yj8TpW6Q5tepVaGumDMujvak3oGm92tj7dsONWmMzTYrs8ro+xbPgM08hNyQB8S07khcpx/QZzFS94vrxz6S6ipR8ML8xVgjj6G2rBn5/czNnheIzQLUQDY0HGYd912uc1q6/xkHwMhfQGnhVs7WL5S+HWpcpfOBEW4WQprSbR5BQy9266l8l0dM1/Wln0ODETbyT/haDRoq3Rk4q9uBcwY3HVd0zXve7fQIoFqiVmKIZr5wL88z26qtshgYIG4RI4RbHzVi7ioO6ed9Lbm/KqwsGntfGmEIuJLlrjT8N0NGUtEGiYmuaPKOK5UQV3ZqSJbHnaOpGn59TCQQIDAQAB';

/** The id Chromium derives from {@link EXTENSION_KEY}: the first 128 bits of its SHA-256, written in letters a to p. */
export const EXTENSION_ID = 'alkjccbmiepmeeblipnmejkhfikflhho';

/** The id of the Firefox build, as in `browser_specific_settings.gecko.id`. */
export const GECKO_ID = 'tabloom@tabloom.app';

/** Address of one of the extension's own pages in Chromium, for example `extensionUrl('app.html')`. */
export function extensionUrl(page: string): string {
  return `chrome-extension://${EXTENSION_ID}/${page}`;
}
