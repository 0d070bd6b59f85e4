import { copyFile, cp, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { madeOnce } from '../run-folder.ts';

const SCRIPTS = ['worker', 'page', 'article'];
const DIALOG_SCRIPTS = ['dialogs-relay', 'dialogs-now'];

async function buildScripts(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await build({
      configFile: false,
      logLevel: 'error',
      build: {
        outDir: folder,
        emptyOutDir: false,
        minify: name !== 'worker',
        lib: {
          entry: resolve(import.meta.dirname, `${name}.ts`),
          formats: ['iife'],
          name: 'harness',
          fileName: () => `${name}.js`,
        },
      },
    });
  }
}

/**
 * Builds an extension around the browser adapter alone into a folder. Its manifest holds `hosts` and `permissions`, so that no prompt is needed.
 * @param dialogs with the scripts that answer dialogs, and notice a person in each frame
 */
export async function buildHarness(
  folder: string,
  hosts: string[],
  permissions: string[] = [],
  dialogs = false,
): Promise<void> {
  await cp(await madeOnce('page-harness', (made) => buildScripts(made, SCRIPTS)), folder, { recursive: true });
  if (dialogs) {
    const made = await madeOnce('page-harness-dialogs', (empty) => buildScripts(empty, DIALOG_SCRIPTS));
    await cp(made, folder, { recursive: true });
  }
  const manifest = {
    manifest_version: 3,
    name: 'Page actions',
    version: '1',
    permissions: ['scripting', 'storage', 'tabGroups', ...permissions],
    host_permissions: hosts,
    background: { service_worker: 'worker.js' },
  };
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
  await copyFile(resolve(import.meta.dirname, '../../../entrypoints/opening/index.html'), join(folder, 'opening.html'));
}
