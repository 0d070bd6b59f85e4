import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';

/** The browsers that the extension is built for. */
export type BuildTarget = 'chrome' | 'firefox';

/** The build failed; the message ends with what the bundler said. */
export class BuildError extends Error {
  override readonly name = 'BuildError';
}

const ROOT = resolve(import.meta.dirname, '../../..');

/** Everything that ends up in the extension or decides how it is built. The Node side is left out. */
const SOURCES = [
  'entrypoints',
  'components',
  'src',
  'wxt.config.ts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
];
const NODE_ONLY = join('src', 'cli');
const USED_BY_CONFIG = join('src', 'cli', 'browser', 'extension-id.ts');

/** Folder of a build, ready to be loaded into its browser. */
export function buildDir(target: BuildTarget): string {
  return join(ROOT, '.output', `${target}-mv3`);
}

/**
 * Builds the extension unless the sources are those of the last build.
 * @returns what was done, and the folder.
 * @throws BuildError when the bundler fails.
 */
export function ensureBuild(target: BuildTarget): { dir: string; built: boolean } {
  const dir = buildDir(target);
  const wxt = join(ROOT, 'node_modules', 'wxt', 'bin', 'wxt.mjs');
  // A packaged copy carries its build and no bundler.
  if (!existsSync(wxt) && existsSync(join(dir, 'manifest.json'))) return { dir, built: false };
  const stampFile = join(ROOT, '.output', `${target}-mv3.sha256`);
  const stamp = hashSources();
  if (existsSync(join(dir, 'manifest.json')) && read(stampFile) === stamp) return { dir, built: false };
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [wxt, 'build', '-b', target], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (status !== 0) {
    throw new BuildError(`The ${target} build failed:\n${error?.message ?? `${stdout}${stderr}`.trim()}`);
  }
  writeFileSync(stampFile, stamp);
  return { dir, built: true };
}

/**
 * Whether there is a build of the present sources, without making one. A build that was made by other means than {@link ensureBuild} has no
 * stamp of its own, or an old one; it is fresh when it is younger than every source.
 */
export function buildState(target: BuildTarget): 'missing' | 'stale' | 'fresh' {
  const manifest = join(buildDir(target), 'manifest.json');
  if (!existsSync(manifest)) return 'missing';
  // A packaged copy carries its build and not all that it is made of.
  if (!existsSync(join(ROOT, 'wxt.config.ts'))) return 'fresh';
  if (read(join(ROOT, '.output', `${target}-mv3.sha256`)) === hashSources()) return 'fresh';
  const built = statSync(manifest).mtimeMs;
  return sources().every((file) => statSync(file).mtimeMs <= built) ? 'fresh' : 'stale';
}

/** One hash over the names and contents of all sources; some hundred small files take a few milliseconds. */
function hashSources(): string {
  const hash = createHash('sha256');
  for (const file of sources())
    hash
      .update(`${relative(ROOT, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  return hash.digest('hex');
}

function sources(): string[] {
  return SOURCES.flatMap((entry) => files(join(ROOT, entry)))
    .sort()
    .filter((file) => {
      const name = relative(ROOT, file);
      return !name.startsWith(NODE_ONLY + sep) || name === USED_BY_CONFIG;
    });
}

function files(path: string): string[] {
  if (!existsSync(path)) return [];
  try {
    return readdirSync(path, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return [path]; // A file, not a folder.
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
