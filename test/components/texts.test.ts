import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { en } from '../../src/view/messages/en/index.ts';
import { inspect } from '../../src/view/messages/en/inspect.ts';
import { surface } from '../../src/view/messages/en/surface.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** All modules that a module brings along, by its static imports and those that it loads later. */
function modulesOf(entry: string, found = new Set<string>()): Set<string> {
  if (found.has(entry) || !existsSync(entry)) return found;
  found.add(entry);
  const source = readFileSync(entry, 'utf8');
  const imports = source.matchAll(/(?:^import\s(?!type\b)[^;]*?from|\bimport\()\s*'(\.[^']+\.tsx?)'/gms);
  for (const [, path] of imports) modulesOf(resolve(dirname(entry), path as string), found);
  return found;
}

/** Keys of the catalogue that stand in the modules of a page as whole texts, with the module that has them. */
function textsOf(page: string, has: Record<string, unknown>): string[] {
  const modules = [...modulesOf(resolve(ROOT, page))].filter((path) => !path.includes('/messages/'));
  return modules.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/'([a-z]\w*\.[\w.-]+)'/g)]
      .map((match) => match[1] as string)
      .filter((key) => Object.hasOwn(en, key) && !Object.hasOwn(has, key))
      .map((key) => `${relative(ROOT, path)}: ${key}`),
  );
}

describe('texts that a page brings along', () => {
  it('the popup: every text of every module it can load', () => {
    expect(modulesOf(resolve(ROOT, 'components/surfaces/popup.tsx')).size).toBeGreaterThan(30);
    expect(textsOf('components/surfaces/popup.tsx', surface)).toEqual([]);
  });

  it('the side panel: those too, and the ones for looking at a run', () => {
    expect(textsOf('components/surfaces/sidepanel.tsx', { ...surface, ...inspect })).toEqual([]);
  });
});
