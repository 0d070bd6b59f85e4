import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchBrowser } from './launch.ts';
import { placeCopy } from './private-copy.ts';

/** What {@link seedGrants} needs besides the profile and the sites. */
export interface SeedOptions {
  /** The unmodified build that will run on the profile afterwards. */
  extensionDir: string;
  executablePath?: string;
}

/** A site was named in a form that is no origin and no match pattern. */
export class OriginInvalidError extends Error {
  override readonly name = 'OriginInvalidError';
}

/**
 * Gives the extension access to sites in a profile, as if the person had said yes to each prompt. Headless there is no
 * prompt to answer, so a copy of the build whose manifest demands those hosts is started once on the profile. It has the
 * same key, hence the same id; the browser remembers the grants for the unmodified build, where they can be revoked.
 * @param origins origins (`https://example.com`) or match patterns.
 * @throws OriginInvalidError for anything else; LaunchError when Chromium does not start.
 */
export async function seedGrants(profileDir: string, origins: readonly string[], options: SeedOptions): Promise<void> {
  const patterns = origins.map(originPattern);
  if (patterns.length === 0) return;
  const copy = await mkdtemp(join(tmpdir(), 'tabloom-grants-'));
  try {
    // From the profile's own copy: it is whole, and nobody builds it anew meanwhile.
    await cp(await placeCopy(profileDir, options.extensionDir), copy, { recursive: true });
    const manifestFile = join(copy, 'manifest.json');
    const manifest = JSON.parse(await readFile(manifestFile, 'utf8')) as Record<string, unknown>;
    await writeFile(manifestFile, JSON.stringify({ ...manifest, host_permissions: patterns }));
    const browser = await launchBrowser({
      profileDir,
      extensionDir: copy,
      headless: true,
      executablePath: options.executablePath,
    });
    await browser.close();
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/**
 * The match pattern for a site: `https://example.com` becomes `https://example.com/*`. Patterns pass unchanged.
 * @throws OriginInvalidError for what is neither.
 */
export function originPattern(origin: string): string {
  if (origin === '<all_urls>' || /^(https?|\*):\/\/(\*|(\*\.)?[^/*]+)\/\*$/.test(origin)) return origin;
  if (URL.canParse(origin)) {
    const { protocol, host, origin: plain } = new URL(origin);
    if ((protocol === 'https:' || protocol === 'http:') && host) return `${plain}/*`;
  }
  throw new OriginInvalidError(`"${origin}" is no site: write it as https://example.com.`);
}
