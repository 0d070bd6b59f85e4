import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { dynamicCodeIn } from '../support/dynamic-code.ts';
import { expect, test } from '../support/product.ts';

/** Nothing turns text into code: not in what is built, not where it runs. */

const BUILDS = ['chrome-mv3', 'firefox-mv3'].map((name) => resolve(import.meta.dirname, '../../.output', name));

/** Where `Function` stands in the builds, and why none of it makes code of text. */
const KNOWN = [
  // Our own question whether it is forbidden; the last test asks it.
  /Function\(.return 1.\)/,
  // The schema library's question, and its compiler: never reached, since it is told so before its first schema (src/model/zod.ts).
  /Cloudflare/,
  /compile\(\)\{let \w+=Function/,
  // The browser polyfill binds `call`; nothing is made.
  /Function\.call\.bind\(Object\.prototype\.hasOwnProperty\)/,
];

for (const build of BUILDS) {
  const scripts = readdirSync(build, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));

  test(`${build.split('/').at(-1)}: no script makes code of text, loads code from elsewhere, or adds a script to a page`, () => {
    expect(scripts).toEqual(expect.arrayContaining(['background.js', 'page.js']));
    const found = scripts.flatMap((name) =>
      dynamicCodeIn(readFileSync(join(build, name), 'utf8')).map((one) => ({ name, ...one })),
    );
    expect(found.filter(({ near }) => !KNOWN.some((known) => known.test(near)))).toEqual([]);
    // What is excused is really there, so that nothing is excused that nobody needs.
    expect(KNOWN.filter((known) => !found.some(({ near }) => known.test(near)))).toEqual([]);
  });

  test(`${build.split('/').at(-1)}: the manifest allows scripts of the package only, and asks for no page to be opened to others`, () => {
    const manifest = JSON.parse(readFileSync(join(build, 'manifest.json'), 'utf8')) as Record<string, unknown>;
    const { extension_pages: policy } = manifest.content_security_policy as { extension_pages: string };
    expect(policy.split(/\s*;\s*/)).toEqual(
      expect.arrayContaining(["script-src 'self'", "object-src 'none'", "base-uri 'none'"]),
    );
    expect(policy).not.toMatch(/unsafe|wasm|https?:|\*|blob:|data:/);
    expect(manifest.web_accessible_resources ?? []).toEqual([]);
    expect(manifest.externally_connectable).toBeUndefined();
    expect(manifest.sandbox).toBeUndefined();
    const html = readdirSync(build, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
    expect(html).toContain('popup.html');
    for (const page of html) {
      const text = readFileSync(join(build, page), 'utf8');
      expect(text).not.toMatch(/<script(?![^>]*\bsrc="\/)/);
      expect(text).not.toMatch(/\son\w+="|javascript:/i);
      expect(text).not.toMatch(/\b(?:src|href)="(?:https?:)?\/\//);
    }
  });
}

test('the scan itself finds each way in which text becomes code', () => {
  const ways = [
    'eval("1")',
    '(0, eval)("1")',
    'new Function("return 1")',
    'const F = Function; F("1")',
    'globalThis["eval"]("1"); const e = eval;',
    '(() => {}).constructor("return 1")',
    'setTimeout("go()", 1)',
    'import("https://example.com/x.js")',
    'import(name)',
    'document.createElement("script")',
  ];
  expect(ways.filter((source) => dynamicCodeIn(source).length === 0)).toEqual([]);
  const harmless = [
    'typeof Function',
    'x instanceof Function',
    'Function.prototype.toString',
    'a.eval(1)',
    'setTimeout(go, 1)',
    'import("./x.js")',
  ];
  expect(harmless.filter((source) => dynamicCodeIn(source).length > 0)).toEqual([]);
});

test('the background says, through a message of its own and with no debugger near it, that it cannot make code of text', async ({
  product,
}) => {
  await product.launch();
  expect((await product.ask('health.get', {})).dynamicCode).toBe('blocked');
});
