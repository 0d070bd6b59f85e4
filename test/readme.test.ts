import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BROWSER_ACTIONS } from '../src/actions/index.ts';
import { runTestFiles } from '../src/cli/test-runner/index.ts';
import { readWorkflow } from '../src/engine/preflight/index.ts';
import { ERROR_CODES } from '../src/model/errors.ts';
import { exportRun } from '../src/model/run-export.ts';
import { OPERATIONS } from '../src/operations/index.ts';
import { registry, stepTypes } from '../src/steps/index.ts';
import { en } from '../src/view/messages/en/index.ts';
import config from '../wxt.config.ts';
import { callCommand, withoutBanner } from './cli/tabloom.ts';
import { type Group, groups } from './gate/groups.ts';
import { fences, firstWorkflow, readmeCommand, shownCommands } from './readme-commands.ts';
import { value, World, workflow } from './support/engine.ts';

const ROOT = resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const readme = read('README.md');
const DOCS = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'docs/diagnostics.md',
  'docs/errors.md',
  'docs/models.md',
  'docs/knowledge.md',
  'docs/library.md',
  'docs/mcp.md',
  'docs/workflow-format.md',
];

/** First cells of the rows of the table whose head begins with `head`. */
function tableKeys(text: string, head: string): string[] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => new RegExp(`^\\| ${head} +\\|`).test(line));
  const rows = lines.slice(start + 2);
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith('|')),
    )
    .map((row) => row.split('|')[1]?.trim().replaceAll('`', '') ?? '');
}

const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

/** Runs a command of the README and gives what it prints. */
async function called(words: string[]): Promise<string> {
  const ended = withoutBanner(await callCommand(words).ended);
  expect(ended.status, ended.stderr).toBe(0);
  return ended.stdout;
}

/** It stays too long or needs a browser: a spec of `npm test` runs it, by the README's own text. */
const inBrowser = (file: string) => async (command: string) => {
  expect(read(`test/e2e/${file}`)).toContain(`readmeCommand('${command}'`);
};

/** It is part of what `npm test` runs, itself or by the scripts that it is made of. */
const inGate = async (command: string) => {
  const parts = partsOf(command.replace('npm run ', ''));
  expect(groups.flatMap((group) => group.scripts ?? [])).toEqual(expect.arrayContaining(parts));
};

/** The scripts that a script is made of; itself, where it is one program. */
function partsOf(script: string): string[] {
  const text = scripts[script];
  if (text === undefined) throw new Error(`There is no script "${script}".`);
  const parts = text.split(' && ').map((part) => /^npm run ([a-z:]+)$/.exec(part)?.[1]);
  return parts.every((part) => part !== undefined) ? parts.flatMap(partsOf) : [script];
}

/** It is the gate, or a part of it: all the way through npm and the bootstrap, up to what it would run. */
const isGate = (which: (group: Group) => boolean) => async (command: string) => {
  const names = groups.filter(which).map(({ name }) => name);
  expect(names).toContain('unit');
  expect((await called([...readmeCommand(command), '--', '--list'])).trim().split('\n')).toEqual(names);
};

/** How each command that the README shows is tried. */
const TRIED: Record<string, (command: string) => Promise<void>> = {
  'npm start': inBrowser('demo.spec.ts'),
  'npm start -- --model llama3.2 --base-url http://localhost:11434/v1': inBrowser('demo.spec.ts'),
  'npm test': isGate(() => true),
  'npm run test:fast': isGate(({ fast }) => fast),
  'npx tabloom validate first.yaml': async (command) => {
    const folder = mkdtempSync(join(tmpdir(), 'tabloom-readme-'));
    const file = join(folder, 'first.yaml');
    try {
      writeFileSync(file, firstWorkflow());
      expect(await called(readmeCommand(command, { 'first.yaml': file }))).toContain('no problems');
      writeFileSync(file, firstWorkflow().replace('action: extract', 'action: extrakt'));
      const wrong = await callCommand(readmeCommand(command, { 'first.yaml': file })).ended;
      // As the README says: with line and column.
      expect([wrong.status, wrong.stdout]).toEqual([1, expect.stringMatching(/first\.yaml:\d+:\d+ /)]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  'npx tabloom run first.yaml --grant https://example.com': inBrowser('cli-run.spec.ts'),
  'npx tabloom run --help': async (command) => {
    const help = await called(readmeCommand(command));
    for (const word of ['--input', '--model', '--profile', '--json']) expect(help).toContain(word);
  },
  'npx tabloom schema': async (command) => {
    const schema = JSON.parse(await called(readmeCommand(command))) as { $schema: string };
    expect(schema.$schema).toContain('2020-12');
  },
  'npx tabloom verify export.json': async (command) => {
    const folder = mkdtempSync(join(tmpdir(), 'tabloom-readme-'));
    const file = join(folder, 'export.json');
    const world = new World();
    await world.start(workflow([value('a', 1)]));
    const whole = await exportRun(world.runId, await world.events(), (hash) => world.store.blob(hash));
    try {
      writeFileSync(file, JSON.stringify(whole));
      expect(await called(readmeCommand(command, { 'export.json': file }))).toContain('hold');
      writeFileSync(file, JSON.stringify({ ...whole, events: whole.events.slice(1) }));
      const broken = await callCommand(readmeCommand(command, { 'export.json': file })).ended;
      expect([broken.status, broken.stderr]).toEqual([1, expect.stringContaining('event 2')]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  'npx tabloom doctor': inBrowser('doctor.spec.ts'),
  'npm run build': inGate,
  'npm run build:firefox': inGate,
  'npm run check': inGate,
  'npm run dev': inBrowser('readme-dev.spec.ts'),
};

describe('the README', () => {
  it('shows only commands that are tried', () => {
    expect(shownCommands()).toEqual(Object.keys(TRIED).sort());
  });

  it.each(Object.entries(TRIED))('%s: is tried', { timeout: 300_000 }, (command, tried) => tried(command));

  it('names npm scripts that exist', () => {
    for (const [, name] of readme.matchAll(/`?npm run ([a-z:]+)/g)) expect(Object.keys(scripts)).toContain(name);
  });

  it('its workflow has no problem', () => {
    expect(readWorkflow(firstWorkflow(), 'first.yaml', registry).problems).toEqual([]);
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
    const missing = admitted.slice(admitted.indexOf('browser actions:'), admitted.indexOf('The `tabloom` command'));
    for (const { name } of BROWSER_ACTIONS) expect(missing).not.toContain(`\`${name}\``);
    for (const { type } of stepTypes) expect(missing).not.toContain(`\`${type}\``);
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

  it('docs/diagnostics.md has every check that Diagnostics and the command make, and no other', () => {
    const labels = Object.keys(en).flatMap((key) => /^doctor\.label\.(\w+)$/.exec(key)?.[1] ?? []);
    const command = ['machine', 'bridge'].map((name) => read(`src/cli/doctor/${name}.ts`)).join('\n');
    const machine = [...command.matchAll(/\b(?:ok|warn|fail)\(\s*'(\w+)'/g)].map(([, id]) => id);
    const table = read('docs/diagnostics.md').split('## The checks')[1] ?? '';
    const named = [...table.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)].flatMap(([, cell]) => cell?.match(/\w+/g) ?? []);
    expect(named.sort()).toEqual([...new Set([...labels, ...machine, 'launch'])].sort());
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
