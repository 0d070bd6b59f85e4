import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dropOtherCopies, placeCopy } from '../../src/cli/browser/private-copy.ts';

let folder: string;
let build: string;
let profile: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tabloom-copy-'));
  build = join(folder, 'build');
  profile = join(folder, 'profile');
  await mkdir(join(build, 'icon'), { recursive: true });
  await writeFile(join(build, 'manifest.json'), '{}');
  await writeFile(join(build, 'icon', '16.png'), 'picture');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a build is copied whole into the profile, and the same build again: the same place, untouched', async () => {
  const place = await placeCopy(profile, build);
  expect(place.startsWith(profile)).toBe(true);
  expect(await readFile(join(place, 'icon', '16.png'), 'utf8')).toBe('picture');
  await writeFile(join(place, 'mark'), '');
  expect(await placeCopy(profile, build)).toBe(place);
  expect(await readdir(place)).toContain('mark');
});

test('another build: another place, and the first stays until it is dropped', async () => {
  const first = await placeCopy(profile, build);
  await writeFile(join(build, 'icon', '16.png'), 'other picture');
  const second = await placeCopy(profile, build);
  expect(second).not.toBe(first);
  expect(await readFile(join(first, 'icon', '16.png'), 'utf8')).toBe('picture');
  await dropOtherCopies(profile, second);
  expect(await readdir(join(second, '..'))).toEqual([second.split(/[\\/]/).at(-1)]);
});

test('two launches at the same moment: both get the one copy, and nothing half-done is left', async () => {
  const places = await Promise.all([placeCopy(profile, build), placeCopy(profile, build), placeCopy(profile, build)]);
  expect(new Set(places).size).toBe(1);
  expect(await readdir(join(places[0] as string, '..'))).toHaveLength(1);
});

test('a folder without a manifest is no build', async () => {
  await rm(join(build, 'manifest.json'));
  await expect(placeCopy(profile, build, 0)).rejects.toThrow('holds no whole extension');
});

test('a build that is being written: it is waited for, and copied once it is whole', async () => {
  await rm(build, { recursive: true });
  const placed = placeCopy(profile, build);
  await mkdir(build);
  await writeFile(join(build, 'page.js'), 'script');
  await writeFile(join(build, 'manifest.json'), '{}');
  expect((await readdir(await placed)).sort()).toEqual(['manifest.json', 'page.js']);
});
