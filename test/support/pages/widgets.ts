import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { compile } from 'svelte/compiler';
import { build, type Plugin } from 'vite';
import { test as base } from './run.ts';
import type { PageServer } from './server.ts';

/** Pages of real widgets (test/pages/widgets), built from node_modules alone, and a server of them: `/select2` is the page of select2. */

const REPOSITORY = resolve(import.meta.dirname, '../../..');
const SOURCES = 'test/pages/widgets';
/** Modules that pages share; the rest of the folder is a page each. */
const SHARED = new Set(['page.ts', 'modules.d.ts']);

interface Chunk {
  file: string;
  css?: string[];
  imports?: string[];
}

type Manifest = Record<string, Chunk>;

const svelte: Plugin = {
  name: 'svelte',
  transform: {
    filter: { id: /\.svelte$/ },
    handler: (code, filename) => {
      const { js } = compile(code, { filename, generate: 'client', css: 'injected' });
      return { code: js.code, map: null };
    },
  },
};

/** Builds the pages in one go. @returns by name, the text of each page */
async function buildWidgets(folder: string, only: readonly string[] | undefined): Promise<Map<string, string>> {
  const sources = (await readdir(join(REPOSITORY, SOURCES))).filter(
    (name) =>
      /\.(js|tsx?)$/.test(name) && !SHARED.has(name) && (only?.includes(name.slice(0, -extname(name).length)) ?? true),
  );
  await build({
    configFile: false,
    root: REPOSITORY,
    base: '/',
    publicDir: false,
    logLevel: 'error',
    plugins: [svelte],
    // The build that compiles templates in the page.
    resolve: { alias: { vue: 'vue/dist/vue.esm-bundler.js' } },
    define: {
      __VUE_OPTIONS_API__: 'true',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    },
    build: {
      outDir: folder,
      emptyOutDir: true,
      minify: false,
      // Nobody downloads them: what is measured and printed for that takes time.
      reportCompressedSize: false,
      chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
      modulePreload: false,
      manifest: 'manifest.json',
      target: 'esnext',
      rolldownOptions: { input: sources.map((name) => join(REPOSITORY, SOURCES, name)) },
    },
  });
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as Manifest;
  return new Map(sources.map((name) => [name.slice(0, -extname(name).length), pageOf(manifest, `${SOURCES}/${name}`)]));
}

function pageOf(manifest: Manifest, key: string): string {
  const styles = new Set<string>();
  const seen = new Set<string>();
  const visit = (one: string): void => {
    if (seen.has(one)) return;
    seen.add(one);
    for (const inner of manifest[one]?.imports ?? []) visit(inner);
    for (const css of manifest[one]?.css ?? []) styles.add(css);
  };
  visit(key);
  const links = [...styles].map((css) => `<link rel="stylesheet" href="/${css}">`).join('');
  const script = `<script type="module" src="/${manifest[key]?.file}"></script>`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${key}</title>${links}<body></body>${script}</html>`;
}

const TYPES: Record<string, string> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.png': 'image/png',
  '.webp': 'image/webp',
};

/**
 * @param only names of pages; all without it
 * @returns a server with the interface of that of the plain test pages; it has no other answers.
 */
export async function startWidgetServer(only?: readonly string[]): Promise<PageServer> {
  const folder = await mkdtemp(join(tmpdir(), 'tabloom-widgets-'));
  const pages = await buildWidgets(folder, only);
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const page = pages.get(pathname.slice(1));
    if (page !== undefined) return void response.writeHead(200, { 'content-type': 'text/html' }).end(page);
    try {
      const content = await readFile(join(folder, pathname));
      response.writeHead(200, { 'content-type': TYPES[extname(pathname)] ?? 'application/octet-stream' }).end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    other: `http://localhost:${port}`,
    instead: new Map(),
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** `state()` is what the page's application holds, as its widgets have told it. */
// biome-ignore lint/suspicious/noExplicitAny: states are compared, not used
export const test = base.extend<{ state(): Promise<any> }, { server: PageServer }>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern
    async ({}, use) => {
      const server = await startWidgetServer();
      await use(server);
      await server.close();
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  state: async ({ harness, server }, use) => {
    await use(async () => {
      const page = harness.context.pages().find((one) => one.url().startsWith(server.origin));
      if (!page) throw new Error('no widget page is open');
      return page.evaluate('window.state()');
    });
  },
});
