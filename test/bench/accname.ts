import { createReadStream, existsSync, globSync, statSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from '@playwright/test';
import { build } from 'vite';
import { requireChromium } from '../../src/cli/browser/find.ts';

/*
 * `npm run bench:accname -- --wpt DIR`: how often the names and roles that this product gives agree with those that web-platform-tests expect.
 * DIR is a checkout of https://github.com/web-platform-tests/wpt, or a folder that holds its `accname` (and `wai-aria/role`, `html-aam`, `svg-aam`).
 * Each difference is listed; exit status 1 below --goal, a percentage, 95 by default.
 */
interface Checked {
  what: 'name' | 'role';
  title: string;
  expected: string;
  found: string;
}

const FOLDERS = ['accname', 'html-aam', 'svg-aam', 'wai-aria/role'];
/** Pages that need what a server of web-platform-tests does, or a person. */
const LEFT_OUT = /(^|\/)(resources|tools|support)\/|crashtest|-ref\.html$/;

const { values: options } = parseArgs({
  options: { wpt: { type: 'string' }, goal: { type: 'string', default: '95' }, quiet: { type: 'boolean' } },
});
if (!options.wpt || !existsSync(join(options.wpt, 'accname'))) {
  process.stderr.write('Name a folder with --wpt that holds the accname tests of web-platform-tests.\n');
  process.exit(2);
}
const root = resolve(options.wpt);

const folder = await mkdtemp(join(tmpdir(), 'tabloom-accname-'));
const entry = resolve(import.meta.dirname, 'accname-page.ts');
await build({
  configFile: false,
  logLevel: 'error',
  build: { outDir: folder, lib: { entry, formats: ['iife'], name: 'names', fileName: () => 'names.js' } },
});
const script = await readFile(join(folder, 'names.js'), 'utf8');
await rm(folder, { recursive: true, force: true });

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const file = join(root, decodeURIComponent(pathname));
  if (!file.startsWith(`${root}/`) || !existsSync(file) || !statSync(file).isFile())
    return void response.writeHead(404).end();
  const type = { html: 'text/html; charset=utf-8', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };
  response.setHeader('content-type', type[file.split('.').at(-1) as keyof typeof type] ?? 'application/octet-stream');
  createReadStream(file).pipe(response);
});
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const browser = await chromium.launch({
  executablePath: requireChromium().path,
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
const page = await browser.newPage();
// What is in the tests' own harness is not wanted: only what they expect of each element.
await page.route(/\/resources\/|aria-utils\.js|ATTAcomm\.js/, (route) =>
  route.fulfill({ contentType: 'text/javascript', body: '' }),
);
await page.addInitScript(`
  self.setup = self.done = self.test = self.promise_test = self.async_test = () => {};
  self.AriaUtils = new Proxy({}, { get: () => () => {} });
  self.wanted = [];
  self.ATTAcomm = class {
    constructor({ steps }) {
      for (const { element, test } of steps)
        for (const [kind, what, is, value] of test.ATK ?? [])
          if (kind === 'property' && what === 'name' && is === 'is') self.wanted.push({ id: element, value });
    }
  };
`);

const totals = { name: { agreed: 0, all: 0 }, role: { agreed: 0, all: 0 } };
const files = FOLDERS.flatMap((one) => globSync(`${one}/**/*.html`, { cwd: root })).sort();
for (const file of files) {
  if (LEFT_OUT.test(file)) continue;
  await page.goto(`${origin}/${file}`);
  await page.addScriptTag({ content: script });
  const checked = await page.evaluate<Checked[]>(checkPage);
  for (const one of checked) {
    const total = totals[one.what];
    total.all += 1;
    if (one.found === one.expected) total.agreed += 1;
    else if (!options.quiet)
      process.stdout.write(
        `${file}: ${one.title}: ${one.what} ${JSON.stringify(one.found)}, expected ${JSON.stringify(one.expected)}\n`,
      );
  }
}
await browser.close();
server.close();

let met = true;
for (const [what, { agreed, all }] of Object.entries(totals)) {
  if (all === 0) continue;
  const percent = (100 * agreed) / all;
  if (percent < Number(options.goal)) met = false;
  process.stdout.write(`${what}s: ${agreed} of ${all} agree (${percent.toFixed(1)} %)\n`);
}
process.exitCode = met ? 0 : 1;

/** Runs in the page. */
function checkPage(): Checked[] {
  const world = globalThis as unknown as {
    tabloomNames: { nameOf(element: Element): string; roleOf(element: Element): string };
    wanted: { id: string; value: unknown }[];
  };
  const { nameOf, roleOf } = world.tabloomNames;
  const tidy = (text: string): string => text.replace(/\s+/g, ' ').trim();
  const all = (scope: Document | ShadowRoot): Element[] =>
    [...scope.querySelectorAll('*')].flatMap((element) => [
      element,
      ...(element.shadowRoot ? all(element.shadowRoot) : []),
    ]);
  const checked: Checked[] = [];
  for (const element of all(document)) {
    const title = element.getAttribute('data-testname') ?? element.outerHTML.slice(0, 80);
    const name = element.getAttribute('data-expectedlabel');
    if (name !== null) checked.push({ what: 'name', title, expected: tidy(name), found: nameOf(element) });
    const role = element.getAttribute('data-expectedrole');
    // What has no role, and what has a generic one, are told apart by browsers alone.
    const usual = (one: string): string => (one === 'generic' || one === 'none' ? '' : one === 'image' ? 'img' : one);
    if (role !== null) checked.push({ what: 'role', title, expected: usual(role), found: usual(roleOf(element)) });
  }
  for (const { id, value } of world.wanted) {
    const element = document.getElementById(id);
    if (element && typeof value === 'string')
      checked.push({ what: 'name', title: `#${id}`, expected: tidy(value), found: nameOf(element) });
  }
  return checked;
}
