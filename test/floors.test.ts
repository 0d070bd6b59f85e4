import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, resolve, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

/** From here up code may touch the platform. */
const ADAPTERS_FLOOR = 4;

/** Floors: a folder imports only from lower ones. */
const FLOORS: Record<string, number> = {
  entrypoints: 7,
  components: 6,
  'src/app': 5,
  'src/cli': 5,
  'src/bridge': 5,
  'src/adapters': ADAPTERS_FLOOR,
  // Workflows as data, and the sample site with its own small server.
  'src/examples': ADAPTERS_FLOOR,
  'src/steps': 3,
  'src/actions': 3,
  'src/operations': 3,
  'src/view': 3,
  'src/engine': 2,
  'src/ports': 1,
  'src/model': 0,
};

/** Sideways imports that are meant: each folder on the left uses the one on the right. */
const SIDEWAYS = new Set([
  'src/steps → src/actions',
  'src/steps → src/operations',
  'src/cli → src/app',
  'src/cli → src/bridge',
  'src/bridge → src/app',
]);

/** Page-side code lives on the page's own clock and may reach closed shadow roots; the rest of the floor may not. */
const PAGE_SIDE = 'src/actions/';
const PAGE_SIDE_CODE = 'src/actions/page/';
const MAX_LINES = 400;
const ROOT = resolve(import.meta.dirname, '..');

interface Ban {
  what: string;
  pattern: RegExp;
  /** Files in which it is allowed after all. */
  allowedIn?: string;
}

const BANS: Ban[] = [
  { what: 'chrome.dom', pattern: /(?<![\w.$])chrome\.dom\b/, allowedIn: PAGE_SIDE_CODE },
  { what: 'chrome.*', pattern: /(?<![\w.$])(globalThis\.)?chrome\??\.(?!dom\b)/ },
  { what: 'browser.*', pattern: /(?<![\w.$])(globalThis\.)?browser\??\.\w/ },
  { what: 'wxt/browser', pattern: /['"](wxt\/browser|webextension-polyfill)['"]/ },
  { what: 'dexie', pattern: /['"]dexie['"]/ },
  { what: 'fetch', pattern: /(?<![\w.$])(globalThis\.)?fetch\(/ },
  { what: 'Date.now', pattern: /\bDate\.now\b|\bnew Date\(\)/ },
  { what: 'Math.random', pattern: /\bMath\.random\b/ },
  { what: 'timers', pattern: /(?<![\w$])(setTimeout|setInterval|AbortSignal\.timeout)\b/, allowedIn: PAGE_SIDE },
  { what: 'crypto', pattern: /(?<![\w.$'"/@-])(globalThis\.)?crypto\.\w|['"](node:)?crypto['"]/ },
];

describe('floors', () => {
  const files = sourceFiles();

  it('finds the sources', () => {
    expect(files.length).toBeGreaterThan(20);
    expect(files.map(({ name }) => folderOf(name))).toContain('src/model');
  });

  it('every folder of src has a floor', () => {
    expect(files.map(({ name }) => name).filter((name) => folderOf(name) === undefined)).toEqual([]);
  });

  it('no folder imports from a higher floor, or sideways without a declared reason', () => {
    expect(files.flatMap(({ name, source }) => importFaults(name, source))).toEqual([]);
  });

  it('below the adapters nothing touches the platform, time or chance', () => {
    expect(files.flatMap(({ name, source }) => platformFaults(name, source))).toEqual([]);
  });

  it(`no file has more than ${MAX_LINES} lines`, () => {
    expect(files.flatMap(({ name, source }) => lengthFaults(name, source))).toEqual([]);
  });
});

describe('the floors test itself', () => {
  it.each([
    ['src/model/run.ts', "import { x } from '../engine/plan.ts';"],
    ['src/engine/plan.ts', "import type { Step } from '../steps/index.ts';"],
    ['src/view/tree.ts', "export { x } from '../operations/index.ts';"],
    ['src/app/runtime.ts', "const x = await import('../../components/kit/button.tsx');"],
    ['src/adapters/llm/a.ts', "import '../../app/runtime.ts';"],
    ['src/ports/a.ts', "import {\n  a,\n  b,\n} from '@/src/adapters/memory/store.ts';"],
    ['components/run/tree.tsx', "import { start } from '../../src/app/runtime.ts';"],
  ])('%s: refuses %s', (name, source) => {
    expect(importFaults(name, source)).toHaveLength(1);
  });

  it.each([
    ['src/steps/recipe.ts', "import { x } from '../actions/click.ts'; import y from './agent.ts'; import 'zod';"],
    ['components/run/tree.tsx', "import { m } from '../../src/app/protocol.ts'; import v from '../../src/view/a.ts';"],
    ['src/model/run.ts', "// import { x } from '../engine/plan.ts';"],
  ])('%s: allows %s', (name, source) => {
    expect(importFaults(name, source)).toEqual([]);
  });

  it.each([
    'chrome.tabs.query({})',
    'const { id } = browser.runtime',
    "import Dexie from 'dexie'",
    'await fetch(url)',
    'const at = Date.now()',
    'const at = new Date()',
    'Math.random() < 0.5',
    'setTimeout(done, 10)',
    'const id = crypto.randomUUID()',
    "const quote = /'/; const at = 1;\nsetInterval(f, 1)",
    `const text = \`at \${Date.now()}\``,
  ])('src/engine/a.ts: refuses %s', (source) => {
    expect(platformFaults('src/engine/a.ts', source)).toHaveLength(1);
  });

  it.each([
    ['src/engine/a.ts', "// uses no setTimeout\nconst text = 'call fetch() or Date.now()'; ports.browser.open()"],
    ['src/actions/page/wait.ts', 'setTimeout(done, 10); chrome.dom.openOrClosedShadowRoot(host)'],
    ['src/adapters/clock.ts', 'Date.now()'],
  ])('%s: allows %s', (name, source) => {
    expect(platformFaults(name, source)).toEqual([]);
  });

  it('page-side code is still refused the extension APIs, and long files are seen', () => {
    expect(platformFaults('src/actions/page/a.ts', 'chrome.runtime.id')).toHaveLength(1);
    expect(platformFaults('src/actions/a.ts', 'chrome.dom.openOrClosedShadowRoot(x)')).toHaveLength(1);
    expect(lengthFaults('src/app/a.ts', 'x\n'.repeat(MAX_LINES + 1))).toHaveLength(1);
    expect(lengthFaults('src/app/a.ts', 'x\n'.repeat(MAX_LINES))).toEqual([]);
  });
});

function importFaults(name: string, source: string): string[] {
  const from = folderOf(name);
  if (from === undefined) return [];
  return importsOf(source).flatMap((specifier) => {
    const target = resolveImport(name, specifier);
    const to = target && folderOf(target);
    if (!target || to === undefined || to === from) return [];
    const [here = 0, there = 0] = [FLOORS[from], FLOORS[to]];
    if (from === 'components' && there === 5 && !/^src\/app\/protocol(\.ts$|\/)/.test(target)) {
      return [`${name}: components reach the background through src/app/protocol only, not ${target}`];
    }
    if (there < here || SIDEWAYS.has(`${from} → ${to}`)) return [];
    return [`${name}: floor ${here} may not import ${target} of floor ${there}`];
  });
}

function platformFaults(name: string, source: string): string[] {
  const folder = folderOf(name);
  if (folder === undefined || (FLOORS[folder] ?? 0) >= ADAPTERS_FLOOR) return [];
  const code = withoutComments(source);
  const specifiers = importsOf(source).map((specifier) => `'${specifier}'`);
  const searched = `${withoutStrings(code)}\n${specifiers.join('\n')}`;
  return BANS.filter(
    ({ pattern, allowedIn }) => pattern.test(searched) && !(allowedIn && name.startsWith(allowedIn)),
  ).map(({ what }) => `${name}: uses ${what}, which only the adapters may`);
}

function lengthFaults(name: string, source: string): string[] {
  const lines = source.replace(/\n$/, '').split('\n').length;
  return lines > MAX_LINES ? [`${name}: ${lines} lines; two ideas?`] : [];
}

/** Longest known folder that holds the file. */
function folderOf(name: string): string | undefined {
  return Object.keys(FLOORS).find((folder) => name.startsWith(`${folder}/`));
}

/** Path from the root of what a relative or `@/` import means; undefined for packages. */
function resolveImport(name: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(name), specifier);
  return /^[@~]\//.test(specifier) ? specifier.slice(2) : undefined;
}

function importsOf(source: string): string[] {
  const pattern = /(?:\bfrom\s*|\bimport\s*\(?\s*)['"]([^'"\n]+)['"]/g;
  return [...withoutComments(source).matchAll(pattern)].map((match) => match[1] ?? '');
}

/** Strings are matched along, so that `//` inside one is no comment. */
function withoutComments(source: string): string {
  return source.replace(
    /('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g,
    (_, text?: string) => text ?? '',
  );
}

/** Strings cannot span lines, so a quote inside a regular expression spoils no more than its own line. */
function withoutStrings(code: string): string {
  return code.replace(/'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g, "''");
}

function sourceFiles(): { name: string; source: string }[] {
  return ['entrypoints', 'components', 'src'].flatMap((top) =>
    readdirSync(join(ROOT, top), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return { name: relative(ROOT, path).split(sep).join('/'), source: readFileSync(path, 'utf8') };
      }),
  );
}
