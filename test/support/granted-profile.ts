import { createHash } from 'node:crypto';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { originPattern, seedGrants } from '../../src/cli/browser/grants.ts';
import { madeOnce } from './run-folder.ts';

/** Where Chromium keeps what a profile grants. */
const PREFERENCES = join('Default', 'Preferences');
/** What stays behind of a copied profile: the builds, which each launch places anew, and the marks of the browser that had it. */
const LEFT = /^(Tabloom Extension|Singleton.*)$/;
/** Stand-ins for the ports of a test's own servers, which differ from test to test. Nothing else in the file looks like it. */
const FIRST_PORT = 61_001;

/**
 * Grants sites in a profile, as `seedGrants` does, without its launch of a browser for each test: a fresh profile is copied from one that was
 * seeded once in this run with the same sites. One that has been in use is seeded itself.
 * @param profileDir a folder that is there. No browser may be running on it.
 * @param sites origins or match patterns
 * @throws what `seedGrants` throws
 */
export async function grantSites(profileDir: string, sites: readonly string[], extensionDir: string): Promise<void> {
  if (sites.length === 0) return;
  if ((await readdir(profileDir)).length > 0) return seedGrants(profileDir, sites, { extensionDir });
  const ports: string[] = [];
  const patterns = sites.map(originPattern).map((pattern) =>
    pattern.replace(/:(\d+)\/\*$/, (_, port: string) => {
      if (!ports.includes(port)) ports.push(port);
      return `:${FIRST_PORT + ports.indexOf(port)}/*`;
    }),
  );
  const key = createHash('sha256').update(JSON.stringify(patterns));
  for (const file of await filesOf(extensionDir))
    key.update(`\0${file}\0`).update(await readFile(join(extensionDir, file)));
  const seeded = await madeOnce(`profile-${key.digest('hex').slice(0, 16)}`, (folder) =>
    seedGrants(folder, patterns, { extensionDir }),
  );
  for (const name of await readdir(seeded))
    if (!LEFT.test(name)) await cp(join(seeded, name), join(profileDir, name), { recursive: true });
  let text = await readFile(join(profileDir, PREFERENCES), 'utf8');
  for (const [index, port] of ports.entries()) text = text.replaceAll(`:${FIRST_PORT + index}/*"`, `:${port}/*"`);
  await writeFile(join(profileDir, PREFERENCES), text);
}

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}
