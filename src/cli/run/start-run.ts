import { readFileSync } from 'node:fs';
import { readEntry } from '../../engine/entries/file.ts';
import { withEntries } from '../../engine/entries/link.ts';
import { checkInput, hasErrors, readWorkflow } from '../../engine/preflight/index.ts';
import { decodeSource } from '../../engine/source/index.ts';
import type { JsonObject } from '../../model/json.ts';
import { type EntryDefinition, entriesOf } from '../../model/library.ts';
import type { Problem, WorkflowDefinition } from '../../model/workflow.ts';
import { registry } from '../../steps/index.ts';
import { UsageError } from '../args.ts';
import { until } from '../browser/page.ts';
import { RunFailure } from './failure.ts';
import type { Io } from './io.ts';
import type { RunOptions } from './options.ts';
import { problemLine } from './problems.ts';
import type { Session } from './session.ts';
import { printable } from './text.ts';
import { wantsText } from './wants.ts';

/** Nothing has run: the workflow, its input or its surroundings were refused. `lines` are for standard error. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly code: string;
  readonly problems: Problem[];
  readonly lines: string[];

  constructor(code: string, message: string, problems: Problem[], lines: string[]) {
    super(message);
    this.code = code;
    this.problems = problems;
    this.lines = lines;
  }
}

/** A workflow file that has passed everything that needs no browser. */
export interface PreparedRun {
  file: string;
  source: string;
  /** With what it names of `--library`. */
  definition: WorkflowDefinition;
  /** Sources of recipes and agents that go into the library first. */
  entries: string[];
  revision: string;
  input: JsonObject;
}

/**
 * Reads the file and checks it and the input, before any browser is started. Warnings are said. A recipe or agent that neither the file nor
 * `library` has may be in the profile's own library, which is asked when the workflow is imported.
 * @param library files of recipes and agents
 * @throws UsageError when the file cannot be read; RefusedError when preflight finds errors.
 */
export function prepare(file: string, library: readonly string[], input: JsonObject, io: Io): PreparedRun {
  const source = readText(file, 'The workflow has errors');
  const entries = library.map((one) => prepareEntry(one, io));
  const known = entriesOf(entries.map((one) => one.definition));
  const { definition, revision, problems } = readWorkflow(source, file, registry, known);
  const wrongInFile = problems.filter(({ code }) => code !== 'recipe_missing' && code !== 'agent_missing');
  if (!definition || !revision || hasErrors(wrongInFile)) throw refused(file, 'The workflow has errors', problems);
  for (const problem of wrongInFile) io.complain(problemLine(file, problem));
  const wrong = checkInput(definition, input);
  if (hasErrors(wrong))
    throw refused(file, "The input does not fit the workflow's inputs, give it with --input", wrong);
  const linked = withEntries(definition, known);
  return { file, source, definition: linked, entries: entries.map((one) => one.source), revision, input };
}

function prepareEntry(file: string, io: Io): { source: string; definition: EntryDefinition } {
  const why = 'The recipe or agent has errors';
  const source = readText(file, why);
  const { definition, problems } = readEntry(source, file, registry);
  if (!definition) throw refused(file, why, problems);
  for (const problem of problems) io.complain(problemLine(file, problem));
  return { source, definition };
}

/** @throws UsageError when the file cannot be read; RefusedError when it is no text */
function readText(file: string, why: string): string {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch {
    throw new UsageError(`${file} cannot be read: name a file that is there.`);
  }
  const decoded = decodeSource(bytes);
  if ('problem' in decoded) throw refused(file, why, [decoded.problem]);
  return decoded.text;
}

/**
 * Imports the workflow, switched on, and starts it.
 * @returns the id of its run.
 * @throws RefusedError when the extension refuses: a site is not granted, no model is configured, everything is stopped.
 */
export async function begin(session: Session, run: PreparedRun, options: RunOptions, io: Io): Promise<string> {
  io.say(wantsText(run.definition, run.revision));
  const { background } = session;
  for (const source of run.entries) {
    const saved = await background.ask('entry.save', { source });
    if ('refused' in saved) throw refusal(run.file, saved.refused);
  }
  const imported = await background.ask('workflow.import', { source: run.source, enable: true });
  if ('refused' in imported) throw refusal(run.file, imported.refused);
  if (!imported.enabled) throw refused(run.file, 'The workflow could not be switched on', imported.problems);
  const tabId = options.startUrl === undefined ? undefined : await openTab(session, options.startUrl);
  const started = await background.ask('run.start', { workflowId: imported.workflowId, input: run.input, tabId });
  if ('refused' in started) throw refusal(run.file, started.refused);
  io.say(`Run ${started.runId} has begun.`);
  return started.runId;
}

/** Opens the tab that the run is started on, and waits until it has loaded. @returns the browser's number of it */
async function openTab({ page }: Session, url: string): Promise<number> {
  const tabId = await page.evaluate<number>(`chrome.tabs.create({ url: ${JSON.stringify(url)} }).then(({ id }) => id)`);
  await until(
    () => page.evaluate<boolean>(`chrome.tabs.get(${tabId}).then(({ status }) => status === 'complete')`),
    () => new RunFailure(`${url} did not load in 30 seconds: look whether it can be reached.`),
    30_000,
  );
  return tabId;
}

function refusal(
  file: string,
  { code, message, problems }: { code: string; message: string; problems: Problem[] },
): RefusedError {
  return refused(file, message.replace(/\.$/, ''), problems, code);
}

function refused(file: string, why: string, problems: Problem[], code = 'preflight_failed'): RefusedError {
  const advice = new Set(problems.map((problem) => ADVICE[problem.code]).filter((text) => text !== undefined));
  const said = problems.some(({ message }) => message.replace(/\.$/, '') === why);
  const lines = [
    ...problems.map((problem) => problemLine(file, problem)),
    said ? 'Nothing has run.' : `${printable(why)}; nothing has run.`,
    ...advice,
  ];
  return new RefusedError(code, `${why}.`, problems, lines);
}

/** What to do at the terminal about problems whose own words speak of the browser. */
const ADVICE: Record<string, string> = {
  site_not_granted: 'Grant a site with --grant, for example --grant https://example.com.',
  model_not_configured:
    'Name a model with --model, for example --model openai:gpt-4.1-mini, or --model NAME --base-url URL.',
};
