import { readFileSync } from 'node:fs';
import { isObject, type JsonObject } from '../../model/json.ts';
import { type CommandSpec, type OptionSpec, type Parsed, readArgs, spread, UsageError } from '../args.ts';
import { originPattern } from '../browser/grants.ts';
import { chooseModel, type ModelSetup } from './model.ts';

/** What `tabloom run` was asked to do. */
export interface RunOptions {
  /** The workflow file; absent when a run is resumed. */
  file?: string;
  /** Id of a run that was left waiting in the profile. */
  resume?: string;
  /** Files of recipes and agents that go into the profile's library before the run. */
  library: string[];
  input: JsonObject;
  headless: boolean;
  /** The browser's folder; a temporary one when absent. */
  profileDir?: string;
  /** Match patterns to grant. */
  grants: string[];
  approve: boolean;
  startUrl?: string;
  model?: ModelSetup;
  json: boolean;
  /** Where files go; `tabloom-out/<workflow>-<time>` when absent. */
  outDir?: string;
  /** Where the run's events go, for `tabloom verify`. */
  exportFile?: string;
  /** For a run whose surroundings end with the command, so that its profile is not kept: what to do when it did not come to its end. */
  again?: string;
}

/** Options that `run` and `start` share. */
export const SHARED_OPTIONS: Record<string, OptionSpec> = {
  headless: { help: 'without a window; by itself where there is no display' },
  model: { value: 'NAME', help: 'the model, as provider:model (openai:gpt-4.1-mini) or with --base-url' },
  'base-url': {
    value: 'URL',
    help: 'an endpoint with the OpenAI wire format; access to it is granted to the extension',
  },
  'api-key-env': { value: 'VAR', help: 'the environment variable that holds the key' },
  out: { value: 'DIR', help: 'where artifacts and pictures go (default tabloom-out/<workflow>-<time>)' },
  json: { help: 'the last line on standard output is the result as JSON, everything else goes to standard error' },
};

export const RUN_SPEC: CommandSpec = {
  name: 'run',
  does: 'Runs a workflow in Chromium with the extension, shows progress and ends with the run',
  takes: 'FILE',
  options: {
    input: { value: 'JSON|@FILE', help: "the run's input" },
    library: {
      value: 'FILE…',
      many: true,
      help: "puts a recipe or an agent into the profile's library first; the workflow may name it",
    },
    profile: { value: 'DIR', help: 'keeps the browser profile there (default: a temporary one)' },
    grant: {
      value: 'ORIGIN…',
      many: true,
      help: 'gives the extension access to a site; it can be revoked in the browser',
    },
    approve: { help: 'says yes to every approval, by a click in the real popup' },
    'start-url': { value: 'URL', help: 'opens a tab there and starts the run on it' },
    resume: { value: 'RUN', help: 'goes on with a run that was left waiting in --profile, instead of starting FILE' },
    export: { value: 'FILE', help: "writes the run's events there, to be checked by tabloom verify" },
    ...SHARED_OPTIONS,
  },
  notes: [
    'Exit status: 0 completed, 1 failed or cancelled, 2 refused before anything ran, 3 partial, 4 waiting (says for what).',
    'Ctrl+C cancels the run.',
  ],
};

/**
 * Reads the command line of `tabloom run`.
 * @param displayed whether a window can be shown here.
 * @throws UsageError when it is wrong.
 */
export function readRunOptions(args: readonly string[], env: NodeJS.ProcessEnv, displayed: boolean): RunOptions {
  const parsed = readArgs(
    RUN_SPEC,
    spread(
      spread(args, '--grant', (value) => value.includes('://') || value === '<all_urls>'),
      '--library',
      (value) => /\.(recipe|agent)\.(ya?ml|json)$/.test(value),
    ),
  );
  const [file, ...more] = parsed.positionals;
  const resume = parsed.value('resume');
  const profile = parsed.value('profile');
  if (more.length > 0) throw new UsageError(`Give one workflow file, not also "${more[0]}".`);
  if (file === undefined && resume === undefined) throw new UsageError('Name the workflow to run: tabloom run FILE.');
  if (file !== undefined && resume !== undefined)
    throw new UsageError('Give a workflow file or --resume RUN, not both.');
  if (resume !== undefined && profile === undefined)
    throw new UsageError('Say where the run was left: --resume RUN needs --profile DIR.');
  const startUrl = parsed.value('start-url');
  if (startUrl !== undefined && !/^https?:/.test(protocolOf(startUrl))) {
    throw new UsageError(`--start-url "${startUrl}" is no web address: write it as https://example.com/page.`);
  }
  return {
    file,
    resume,
    library: parsed.values('library'),
    input: readInput(parsed.value('input')),
    headless: parsed.on('headless') || !displayed,
    profileDir: profile,
    grants: parsed.values('grant').map(originPattern),
    approve: parsed.on('approve'),
    startUrl,
    model: readModel(parsed, env),
    json: parsed.on('json'),
    outDir: parsed.value('out'),
    exportFile: parsed.value('export'),
  };
}

/** `--model`, `--base-url` and `--api-key-env` together. @throws UsageError when they do not fit */
export function readModel(parsed: Parsed, env: NodeJS.ProcessEnv): ModelSetup | undefined {
  return chooseModel(
    { model: parsed.value('model'), baseUrl: parsed.value('base-url'), apiKeyEnv: parsed.value('api-key-env') },
    env,
  );
}

/** The run's input from `--input`: JSON, or `@FILE` with JSON in it. @throws UsageError when it is no object */
export function readInput(text: string | undefined): JsonObject {
  if (text === undefined) return {};
  const source = text.startsWith('@') ? readFileOrFail(text.slice(1)) : text;
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    throw new UsageError(
      `--input is no JSON (${(error as Error).message.split('\n')[0]}): quote it for the shell, or write it to a file and give @FILE.`,
    );
  }
  if (!isObject(value))
    throw new UsageError('--input must be a JSON object, such as \'{"url": "https://example.com"}\'.');
  return value;
}

function readFileOrFail(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new UsageError(`--input names ${path}, which cannot be read.`);
  }
}

function protocolOf(url: string): string {
  return URL.canParse(url) ? new URL(url).protocol : '';
}
