import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  checkBuild,
  checkChromium,
  checkDisplay,
  checkLoopback,
  checkNode,
  checkProfile,
} from '../../src/cli/doctor/machine.ts';
import { callTabloom } from './tabloom.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tabloom-doctor-test-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A program that says a version and does nothing else. */
function program(version: string): string {
  const path = join(folder, 'chromium');
  writeFileSync(path, `#!/bin/sh\necho "Chromium ${version}"\n`, { mode: 0o755 });
  return path;
}

describe('what only the command line can see', { timeout: 60_000 }, () => {
  it.each([
    ['20.19.0', 'fail'],
    ['22.18.0', 'ok'],
    ['24.1.0', 'ok'],
  ])('Node %s: %s', (version, state) => expect(checkNode(version).state).toBe(state));

  it.each([
    ['missing', 'fail'],
    ['stale', 'warn'],
    ['fresh', 'ok'],
  ] as const)('the build is %s: %s', (build, state) => {
    expect(checkBuild(build, '/somewhere')).toMatchObject({ state, message: expect.stringContaining('/somewhere') });
  });

  it('Chromium is named and can be run: its version and where it is', () => {
    const path = program('150.0.1');
    expect(checkChromium({ TABLOOM_CHROMIUM: path }, join(folder, 'none'))).toEqual({
      check: { id: 'chromium', state: 'ok', message: `Chromium 150.0.1 at ${path}.` },
      path,
    });
  });

  it('Chromium is older than the manifest asks for: failed', () => {
    const manifest = join(folder, 'manifest.json');
    writeFileSync(manifest, JSON.stringify({ minimum_chrome_version: '123' }));
    const { check } = checkChromium({ TABLOOM_CHROMIUM: program('122.9.9') }, manifest);
    expect(check).toMatchObject({ state: 'fail', message: expect.stringContaining('123 or later') });
  });

  it('what TABLOOM_CHROMIUM names cannot be run: failed, in a sentence', () => {
    const { check, path } = checkChromium({ TABLOOM_CHROMIUM: join(folder, 'none') });
    expect(path).toBeUndefined();
    expect(check).toMatchObject({ state: 'fail', message: expect.stringMatching(/^TABLOOM_CHROMIUM is .*\.$/) });
    expect(check.todo).toBeTruthy();
  });

  it('no display: said, and no failure', () => {
    expect(checkDisplay(false, true)).toMatchObject({ state: 'ok', message: expect.stringContaining('no display') });
  });

  it('loopback: a port of this computer is opened and reached', async () => {
    expect(await checkLoopback()).toMatchObject({ state: 'ok' });
  });
});

describe('the profile', () => {
  const lock = (text: string) => symlinkSync(text, join(folder, 'SingletonLock'));

  it('none is named: it says that it is a temporary one', () => {
    expect(checkProfile(undefined)).toMatchObject({ state: 'ok', message: expect.stringContaining('temporary') });
  });

  it('a folder that is not there, or a file: failed, and none is made', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(checkProfile(join(folder, 'none')).state).toBe('fail');
    expect(checkProfile(join(folder, 'file')).state).toBe('fail');
  });

  it('a folder without a lock: ok', () => {
    mkdirSync(join(folder, 'profile'));
    expect(checkProfile(join(folder, 'profile')).state).toBe('ok');
  });

  it('a living process has it open: failed, naming the process', () => {
    lock(`${hostname()}-${process.pid}`);
    expect(checkProfile(folder)).toMatchObject({
      state: 'fail',
      message: expect.stringContaining(`process ${process.pid}`),
    });
  });

  it('the process that had it open is gone, as after a crash: ok', () => {
    // Above what Linux gives out by default, and never ours.
    lock(`${hostname()}-4194399`);
    expect(checkProfile(folder).state).toBe('ok');
  });

  it('it is open on another computer: failed, naming it', () => {
    lock('another-computer-17');
    expect(checkProfile(folder)).toMatchObject({ state: 'fail', message: expect.stringContaining('another-computer') });
  });
});

describe('the command line of tabloom doctor', { timeout: 120_000 }, () => {
  it('help: says every option and the exit status', async () => {
    const { status, stdout } = await callTabloom(['doctor', '--help']).ended;
    expect(status).toBe(0);
    for (const word of ['--profile', '--headless', '--json', '--test-model', 'Ends with 0'])
      expect(stdout).toContain(word);
  });

  it.each([[['--nope']], [['somewhere']]])('%j: refused in one sentence on standard error', async (args) => {
    const { status, stdout, stderr } = await callTabloom(['doctor', ...args]).ended;
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('a profile that is not there: no browser is started, and --json ends in its one line', async () => {
    const { status, stdout, stderr } = await callTabloom(['doctor', '--json', '--profile', join(folder, 'none')]).ended;
    expect(status).toBe(1);
    const result = JSON.parse(stdout) as { ok: boolean; checks: { id: string; state: string; todo: string | null }[] };
    expect(result.ok).toBe(false);
    expect(result.checks.find(({ id }) => id === 'profile')).toMatchObject({ state: 'fail', todo: expect.any(String) });
    expect(result.checks.some(({ id }) => id === 'launch')).toBe(false);
    expect(result.checks.find(({ id }) => id === 'node')).toMatchObject({ state: 'ok', todo: null });
    expect(stderr).toContain('✗ fail  profile');
  });
});
