import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { createMemoryStore, createVirtualClock } from '../../src/adapters/memory/index.ts';
import { createMemorySecretVault } from '../../src/adapters/secrets/index.ts';
import { Models } from '../../src/app/models.ts';
import type { ModelSettings, Requests } from '../../src/app/protocol.ts';
import { commandHelp, readArgs, spread, UsageError, wantsHelp } from '../../src/cli/args.ts';
import { main } from '../../src/cli/main.ts';
import type { Background } from '../../src/cli/run/background.ts';
import {
  accountOf,
  chooseModel,
  configureModel,
  type ModelSetup,
  modelFromKeys,
  withModel,
} from '../../src/cli/run/model.ts';
import { RUN_SPEC, readRunOptions } from '../../src/cli/run/options.ts';

const folders: string[] = [];
const tempFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'tabloom-args-'));
  folders.push(folder);
  return folder;
};
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const options = (args: string[], env: NodeJS.ProcessEnv = {}, displayed = true) => readRunOptions(args, env, displayed);

describe('reading a command line', () => {
  const spec = { name: 'x', does: 'Does', options: { a: { help: 'switch' }, b: { value: 'V', help: 'value' } } };

  it('options may stand anywhere, and -- ends them', () => {
    const parsed = readArgs(spec, ['one', '--a', '--b', 'v', '--', '--a']);
    expect(parsed.positionals).toEqual(['one', '--a']);
    expect(parsed.on('a')).toBe(true);
    expect(parsed.value('b')).toBe('v');
  });

  it.each([
    [['--nope'], '--nope'],
    [['--b'], '--b'],
    [['--a=1'], '--a'],
    [['--b', '1', '--b', '2'], 'only once'],
  ])('%j is refused in one sentence that names the option and the help', (args, part) => {
    const read = () => readArgs(spec, args);
    expect(read).toThrow(UsageError);
    expect(read).toThrow(part);
    expect(read).toThrow(/^[^\n]+see tabloom x --help\.$/);
  });

  it('the help names every option with its value', () => {
    const help = commandHelp(RUN_SPEC);
    for (const [name, { value }] of Object.entries(RUN_SPEC.options)) {
      expect(help).toContain(value === undefined ? `--${name}` : `--${name} ${value}`);
    }
  });

  it('help is asked for before --, not after', () => {
    expect(wantsHelp(['x', '-h'])).toBe(true);
    expect(wantsHelp(['--', '--help'])).toBe(false);
  });

  it('one option takes several values in a row, as long as they belong to it', () => {
    expect(spread(['--g', 'a://1', 'a://2', 'file', 'a://3'], '--g', (value) => value.includes('://'))).toEqual([
      '--g',
      'a://1',
      '--g',
      'a://2',
      'file',
      'a://3',
    ]);
  });
});

describe('tabloom run', () => {
  it('takes several origins after one --grant, and the file anywhere', () => {
    const read = options([
      '--grant',
      'https://one.example',
      'http://127.0.0.1:8123/x',
      'flow.yaml',
      '--grant',
      '<all_urls>',
    ]);
    expect(read.grants).toEqual(['https://one.example/*', 'http://127.0.0.1:8123/*', '<all_urls>']);
    expect(read.file).toBe('flow.yaml');
  });

  it('is headless by itself where no window can be shown', () => {
    expect(options(['f'], {}, false).headless).toBe(true);
    expect(options(['f'], {}, true).headless).toBe(false);
    expect(options(['f', '--headless'], {}, true).headless).toBe(true);
  });

  it('reads its input from the argument or from a file', () => {
    const file = join(tempFolder(), 'in.json');
    writeFileSync(file, '{"a": 2}');
    expect(options(['f', '--input', '{"a": 1}']).input).toEqual({ a: 1 });
    expect(options(['f', '--input', `@${file}`]).input).toEqual({ a: 2 });
    expect(options(['f']).input).toEqual({});
  });

  it.each([
    [[], 'Name the workflow'],
    [['a', 'b'], 'not also "b"'],
    [['f', '--input', '{'], '--input is no JSON'],
    [['f', '--input', '[1]'], 'must be a JSON object'],
    [['f', '--input', '@/nonexistent.json'], '/nonexistent.json'],
    [['f', '--grant', 'example.com'], '"example.com" is no site'],
    [['f', '--start-url', 'ftp://x'], 'ftp://x'],
    [['--resume', 'r'], 'needs --profile'],
    [['f', '--resume', 'r', '--profile', 'p'], 'not both'],
    [['f', '--base-url', 'http://x'], '--model'],
    [['f', '--model', 'm', '--base-url', 'x'], '"x" is no address'],
    [['f', '--model', 'mystery'], '--base-url'],
    [['f', '--model', 'openai:gpt-4.1'], 'OPENAI_API_KEY'],
    [['f', '--model', 'm', '--base-url', 'http://x', '--api-key-env', 'NOPE'], 'NOPE is empty'],
  ])('%j is refused: %s', (args, part) => {
    expect(() => options(args)).toThrow(part);
  });

  it('a run that was left waiting is gone on with by its id and profile', () => {
    expect(options(['--resume', 'r', '--profile', 'p'])).toMatchObject({
      file: undefined,
      resume: 'r',
      profileDir: 'p',
    });
  });
});

describe('the model', () => {
  const env = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' };

  it.each([
    ['gpt-4.1-mini', { provider: 'openai', model: 'gpt-4.1-mini', apiKeyEnv: 'OPENAI_API_KEY' }],
    ['anthropic:claude-x', { provider: 'anthropic', model: 'claude-x', apiKeyEnv: 'ANTHROPIC_API_KEY' }],
  ])('%s is known by its name', (model, setup) => {
    expect(chooseModel({ model }, env)).toEqual(setup);
  });

  it('a name with a colon is kept whole where an endpoint is given', () => {
    const setup = chooseModel({ model: 'llama3.2:3b', baseUrl: 'http://localhost:11434/v1' }, {});
    expect(setup).toEqual({
      provider: 'openai-compatible',
      model: 'llama3.2:3b',
      baseUrl: 'http://localhost:11434/v1',
    });
  });

  it('the demo takes OpenAI before Anthropic, and none without a key', () => {
    expect(modelFromKeys(env)?.provider).toBe('openai');
    expect(modelFromKeys({ ANTHROPIC_API_KEY: 'k' })?.provider).toBe('anthropic');
    expect(modelFromKeys({ OPENAI_API_KEY: '' })).toBeUndefined();
  });

  it("the command's account is added to what the person has set up, and becomes the default", () => {
    const mine = {
      accounts: [{ id: 'mine', provider: 'openai' as const, hasKey: true }],
      names: { best: 'mine:big' },
      default: 'mine:big',
    };
    const settings = withModel(mine, { provider: 'openai', model: 'm' });
    expect(settings.accounts.map(({ id }) => id)).toEqual(['cli-openai', 'mine']);
    expect(settings.names).toEqual({ best: 'mine:big', fast: 'cli-openai:m' });
    expect(settings.default).toBe('cli-openai:m');
  });

  it('each provider and each address has an account of its own; the one of an earlier call goes unless the person uses it', () => {
    const endpoints = ['http://one/v1', 'http://two/v1'].map((baseUrl) => ({
      provider: 'openai-compatible' as const,
      model: 'm',
      baseUrl,
    }));
    const setups = [{ provider: 'openai' as const, model: 'm' }, ...endpoints];
    const ids = setups.map(accountOf);
    expect(new Set(ids).size).toBe(3);
    const old = { id: 'cli', provider: 'openai' as const, hasKey: true };
    let settings: ModelSettings = { accounts: [old], names: { fast: 'cli:m' }, default: 'cli:m' };
    for (const setup of setups) settings = withModel(settings, setup);
    expect(settings.accounts.map(({ id }) => id)).toEqual([ids[2]]);
    expect(settings.names).toEqual({ fast: `${ids[2]}:m`, best: `${ids[2]}:m` });
    settings = withModel({ ...settings, names: { mine: `${ids[2]}:m` } }, { provider: 'openai', model: 'n' });
    expect(settings.accounts.map(({ id }) => id)).toEqual(['cli-openai', ids[2]]);
  });

  it('the key of one provider is sent to no other address, whether another key is named or none', async () => {
    const sent: string[] = [];
    const models = new Models({
      store: createMemoryStore(),
      vault: createMemorySecretVault(),
      clock: createVirtualClock(),
      fetch: async (url, init) => {
        sent.push(`${new URL(String(url)).host} ${new Headers(init?.headers).get('authorization')}`);
        return new Response('{}', { status: 200, headers: { 'content-type': 'application/json' } });
      },
    });
    await models.load();
    const background = {
      ask: async (name: string, payload: Requests['models.set']['in']) =>
        name === 'models.get' ? models.get() : models.set(payload.settings, payload.apiKey, payload.account),
    } as unknown as Background;
    const keys = { OPENAI_API_KEY: 'first-key', OTHER: 'other-key' };
    for (const asked of [
      { model: 'gpt-4.1-mini' },
      { model: 'x', baseUrl: 'http://other.example/v1' },
      { model: 'x', baseUrl: 'http://other.example/v1', apiKeyEnv: 'OTHER' },
      { model: 'x', baseUrl: 'http://other.example/v1' },
    ]) {
      await configureModel(background, chooseModel(asked, keys) as ModelSetup, keys);
      await models.test();
    }
    expect(sent.map((line) => line.replace(/ (null|Bearer none)$/, ' -'))).toEqual([
      'api.openai.com Bearer first-key',
      'other.example -',
      'other.example Bearer other-key',
      'other.example -',
    ]);
  });
});

describe('the command', () => {
  const printed = { out: '', err: '' };
  const call = async (...args: string[]) => {
    printed.out = '';
    printed.err = '';
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      printed.out += String(text);
      return true;
    });
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      printed.err += String(text);
      return true;
    });
    try {
      return await main(args);
    } finally {
      vi.restoreAllMocks();
    }
  };
  afterEach(() => vi.restoreAllMocks());

  it.each([[], ['--help'], ['validate', '--help'], ['run', '--help'], ['start', '--help'], ['test', '--help']])(
    '%s %s: shows its help',
    async (...args) => {
      expect(await call(...args)).toBe(0);
      expect(printed.out).toMatch(/^tabloom/);
    },
  );

  it.each([['frobnicate'], ['constructor'], ['run'], ['validate'], ['start', 'x'], ['run', 'nonexistent.yaml']])(
    '%s %s: one sentence on standard error, and 1',
    async (...args) => {
      expect(await call(...args)).toBe(1);
      expect(printed.out).toBe('');
      expect(printed.err).toMatch(/^[^\n]+\.\n$/);
    },
  );

  const file = (text: string) => {
    const path = join(tempFolder(), 'flow.yaml');
    writeFileSync(path, text);
    return path;
  };
  const GOOD =
    'format: tabloom/v1\nid: a\nname: A\nsteps:\n  - { id: x, type: deterministic_command, operation: identity, arguments: { value: 1 } }\n';

  it('validate: a good file is 0, a bad one says file, line, column and code, and is 1', async () => {
    expect(await call('validate', file(GOOD))).toBe(0);
    expect(printed.out).toContain('no problems');
    const bad = file(GOOD.replace('operation: identity', 'operation: nothing_such'));
    expect(await call('validate', bad)).toBe(1);
    expect(printed.out).toMatch(/^\S+flow\.yaml:5:\d+ operation_unknown .+\n$/);
  });

  it('validate --json: one line a file; a file that is not there is an error', async () => {
    const good = file(GOOD);
    expect(await call('validate', '--json', good, '/nonexistent.yaml')).toBe(1);
    const lines = printed.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { file: string; valid: boolean });
    expect(lines.map(({ file: name, valid }) => [name, valid])).toEqual([
      [good, true],
      ['/nonexistent.yaml', false],
    ]);
  });

  it('validate: warnings are marked and do not fail', async () => {
    const warned = file(
      `${GOOD}  - { id: y, dependsOn: [], type: deterministic_command, operation: identity, arguments: { value: "{{step.x}}" } }\n`,
    );
    expect(await call('validate', warned)).toBe(0);
    expect(printed.out).toContain('warning maybe_unsettled');
  });
});
