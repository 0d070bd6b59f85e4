import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './tabloom.ts';

it('the command in an installed package: one sentence that says where it runs, and 1', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tabloom-installed-'));
  const cli = join(folder, 'node_modules', 'tabloom', 'src', 'cli');
  try {
    mkdirSync(cli, { recursive: true });
    for (const name of ['tabloom.mjs', 'toolchain.mjs']) cpSync(join(ROOT, 'src/cli', name), join(cli, name));
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(cli, 'tabloom.mjs'), '--help'], {
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^[^\n]+clone its repository[^\n]+\.\n$/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
