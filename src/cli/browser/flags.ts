/**
 * Switches that every Chromium of ours is started with, wherever it is started from (the command, Playwright).
 * They keep a fresh profile from talking to its vendor; none of them changes how pages or extensions behave.
 */
export const QUIET_FLAGS: readonly string[] = [
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
];

/** Chromium refuses to start as root with its sandbox on; for everybody else the sandbox stays. */
export function sandboxFlags(): string[] {
  return process.getuid?.() === 0 ? ['--no-sandbox'] : [];
}

/** Both switches are needed where another launcher (Playwright) disables extensions; alone, either would do. */
export function extensionFlags(extensionDir: string): string[] {
  return [`--disable-extensions-except=${extensionDir}`, `--load-extension=${extensionDir}`];
}
