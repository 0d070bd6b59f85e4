import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { BROWSER_ACTIONS } from '../src/actions/index.ts';
import { runTestFiles } from '../src/cli/test-runner/index.ts';
import { NOT_YET } from '../src/engine/preflight/file-schema.ts';
import { readWorkflow } from '../src/engine/preflight/index.ts';
import { ERROR_CODES } from '../src/model/errors.ts';
import { OPERATIONS } from '../src/operations/index.ts';
import { registry, stepTypes } from '../src/steps/index.ts';
import config from '../wxt.config.ts';

const ROOT = resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const readme = read('README.md');
const DOCS = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'docs/errors.md',
  'docs/workflow-format.md',
];

/** Contents of the code fences of a language. */
function fences(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    (match) => match[1] as string,
  );
}

/** First cells of the rows of the table whose head begins with `head`. */
function tableKeys(text: string, head: string): string[] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${head} |`));
  const rows = lines.slice(start + 2);
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith('|')),
    )
    .map((row) => row.split('|')[1]?.trim().replaceAll('`', '') ?? '');
}

/** Every command that the README shows, and what tries it. */
const COMMANDS: Record<string, string> = {
  'npm start': 'test/e2e/demo.spec.ts',
  'npm test': 'this very call',
  'npx tabloom validate first.yaml': 'here, below',
  'npx tabloom run first.yaml --grant https://example.com': 'test/e2e/cli-run.spec.ts',
  'npm run build': 'the build group of npm test',
  'npm run dev': 'by hand: it stays open',
  'npm run check': 'the types and lint groups of npm test',
  'npm run test:fast': 'part of npm test',
};

describe('the README', () => {
  it('shows only commands that are tried', () => {
    const shown = fences(readme, 'sh').flatMap((block) => block.trim().split('\n'));
    expect(shown.sort()).toEqual(Object.keys(COMMANDS).sort());
  });

  it('names npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    for (const [, name] of readme.matchAll(/`?npm run ([a-z:]+)/g)) expect(Object.keys(scripts)).toContain(name);
  });

  it('its workflow has no problem', () => {
    const blocks = fences(readme, 'yaml');
    expect(blocks).toHaveLength(1);
    expect(readWorkflow(blocks[0] as string, 'first.yaml', registry).problems).toEqual([]);
  });

  it('its commands do what they say', { timeout: 60_000 }, async () => {
    const tabloom = (...args: string[]) => promisify(execFile)('npx', ['tabloom', ...args], { cwd: ROOT });
    expect((await tabloom('--help')).stdout).toMatch(/^tabloom: /);
    expect((await tabloom('validate', 'src/examples/expense-review.yaml')).stdout).toContain('no problems');
  });

  it('lists exactly the permissions of the manifest, each with a reason', async () => {
    const { manifest } = config;
    if (typeof manifest !== 'function') throw new Error('the manifest is made by a function');
    const made = await manifest({ browser: 'chrome', mode: 'production', command: 'build', manifestVersion: 3 });
    expect(tableKeys(readme, 'permission')).toEqual(made.permissions);
    expect(tableKeys(readme, 'optional permission')).toEqual([
      ...(made.optional_permissions ?? []),
      ...(made.optional_host_permissions ?? []),
    ]);
    expect(made.host_permissions).toBeUndefined();
    for (const row of readme.split('\n').filter((line) => /^\| `/.test(line)))
      expect(row.split('|')[2]?.trim()).not.toBe('');
  });

  it('admits everything that this version refuses', () => {
    const admitted = readme.slice(readme.indexOf('## What is not there yet'));
    for (const name of [...NOT_YET.types, ...NOT_YET.file, ...NOT_YET.step]) expect(admitted).toContain(`\`${name}\``);
    const missing = admitted.slice(admitted.indexOf('browser actions:'), admitted.indexOf('The `tabloom` command'));
    for (const { name } of BROWSER_ACTIONS) expect(missing).not.toContain(`\`${name}\``);
    for (const { type } of stepTypes) expect(NOT_YET.types as readonly string[]).not.toContain(type);
  });
});

describe('the docs', () => {
  it.each(DOCS)('%s: links lead to files that are there', (file) => {
    const folder = file.includes('/') ? file.slice(0, file.lastIndexOf('/')) : '.';
    const links = [...read(file).matchAll(/\]\((?!https?:)([^)#]+)/g)].map((match) => match[1] as string);
    expect(links.filter((link) => !existsSync(join(ROOT, folder, link)))).toEqual([]);
  });

  it('docs/errors.md has one whole section for each error, refusal and preflight code, and for no other', () => {
    const text = read('docs/errors.md');
    const sections = new Map(
      text
        .split(/^### /m)
        .slice(1)
        .map((section) => [/^`(\w+)`/.exec(section)?.[1] ?? section, section]),
    );
    expect(sections.size).toBe(text.match(/^### /gm)?.length);
    const refusals =
      /export type RefusalCode =([\s\S]*?);/.exec(read('src/model/errors.ts'))?.[1]?.match(/\w+(?=')/g) ?? [];
    expect(refusals.length).toBeGreaterThan(10);
    expect([...Object.keys(ERROR_CODES), ...refusals].filter((code) => !sections.has(code))).toEqual([]);
    for (const section of sections.values()) {
      for (const part of ['**What happened.** ', '**Why.** ', '**What to do.** ']) expect(section).toContain(part);
    }
  });

  it('docs/errors.md sorts codes by whether they are retried as the engine does', () => {
    const heads: Record<string, string> = {
      default: 'Retried by itself',
      named: 'Not retried unless',
      never: 'Never retried',
    };
    const groups = read('docs/errors.md').split(/^## /m);
    for (const [code, treatment] of Object.entries(ERROR_CODES)) {
      expect(
        groups.find((group) => group.startsWith(heads[treatment] as string)),
        code,
      ).toContain(`### \`${code}\``);
    }
  });

  it('docs/workflow-format.md: its example of a workflow test passes', async () => {
    const text = read('docs/workflow-format.md');
    const folder = mkdtempSync(join(tmpdir(), 'tabloom-docs-'));
    writeFileSync(join(folder, 'tested.yaml'), fences(text, 'yaml').at(-1) as string);
    writeFileSync(join(folder, 'a.test.yaml'), fences(text, 'text').at(-1) as string);
    const results = [];
    for await (const result of runTestFiles([join(folder, 'a.test.yaml')])) results.push(result);
    expect(results).toMatchObject([{ name: 'a rate limit is retried', passed: true, failures: [] }]);
    rmSync(folder, { recursive: true });
  });

  it('docs/workflow-format.md has every step type, action and operation, and its examples have no problem', () => {
    const text = read('docs/workflow-format.md');
    const names = [
      ...stepTypes.map(({ type }) => type),
      ...BROWSER_ACTIONS.map(({ name }) => name),
      ...OPERATIONS.keys(),
    ];
    expect(names.filter((name) => !text.includes(`\`${name}`))).toEqual([]);
    const examples = fences(text, 'yaml');
    expect(examples.length).toBeGreaterThan(3);
    for (const steps of examples) {
      const source = steps.startsWith('format:')
        ? steps
        : `format: tabloom/v1\nid: x\nname: X\nsites: ["https://shop.example/*"]\n${steps}`;
      expect(
        readWorkflow(source, 'example.yaml', registry).problems.filter(({ severity }) => severity === 'error'),
      ).toEqual([]);
    }
  });
});
