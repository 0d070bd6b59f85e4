import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { callCommand, ROOT } from '../cli/tabloom.ts';
import { readmeCommand } from '../readme-commands.ts';

test('the command for developing builds a folder that can be loaded, and stays until it is ended', async () => {
  test.setTimeout(180_000);
  const folder = join(ROOT, '.output', 'chrome-mv3-dev');
  rmSync(folder, { recursive: true, force: true });
  expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain('`.output/chrome-mv3-dev`');

  const call = callCommand(readmeCommand('npm run dev'));
  try {
    await expect.poll(() => call.stdout() + call.stderr(), { timeout: 150_000 }).toContain('.output/chrome-mv3-dev');
    await expect.poll(() => existsSync(join(folder, 'manifest.json')), { timeout: 150_000 }).toBe(true);
    await expect.poll(() => call.stdout() + call.stderr(), { timeout: 150_000 }).toMatch(/Built extension in/);
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as {
      manifest_version: number;
      background: { service_worker: string };
    };
    expect(manifest.manifest_version).toBe(3);
    expect(existsSync(join(folder, manifest.background.service_worker))).toBe(true);
    expect(call.process.exitCode).toBeNull();
  } finally {
    call.end('SIGINT');
    const late = setTimeout(() => call.end('SIGKILL'), 10_000);
    await call.ended;
    clearTimeout(late);
  }
});
