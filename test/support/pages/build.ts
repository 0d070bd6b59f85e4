import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'vite';

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
  await mkdir(folder, { recursive: true });
  for (const name of ['worker', 'page', 'article', ...(dialogs ? ['dialogs-relay', 'dialogs-now'] : [])]) {
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
