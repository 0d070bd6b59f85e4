import { readFileSync } from 'node:fs';
import { checkInput, hasErrors, readWorkflow } from '../../engine/preflight/index.ts';
import { decodeSource } from '../../engine/source/index.ts';
import type { JsonObject } from '../../model/json.ts';
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
  definition: WorkflowDefinition;
  revision: string;
  input: JsonObject;
}

/**
 * Reads the file and checks it and the input, before any browser is started. Warnings are said.
 * @throws UsageError when the file cannot be read; RefusedError when preflight finds errors.
 */
export function prepare(file: string, input: JsonObject, io: Io): PreparedRun {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch {
    throw new UsageError(`${file} cannot be read: name a workflow file that is there.`);
  }
  const decoded = decodeSource(bytes);
  if ('problem' in decoded) throw refused(file, 'The workflow has errors', [decoded.problem]);
  const source = decoded.text;
  const { definition, revision, problems } = readWorkflow(source, file, registry);
  if (!definition || !revision || hasErrors(problems)) throw refused(file, 'The workflow has errors', problems);
  for (const problem of problems) io.complain(problemLine(file, problem));
  const wrong = checkInput(definition, input);
  if (hasErrors(wrong))
    throw refused(file, "The input does not fit the workflow's inputs, give it with --input", wrong);
  return { file, source, definition, revision, input };
}

/**
 * Imports the workflow, switched on, and starts it.
 * @returns the id of its run.
 * @throws RefusedError when the extension refuses: a site is not granted, no model is configured, everything is stopped.
 */
export async function begin(session: Session, run: PreparedRun, options: RunOptions, io: Io): Promise<string> {
  io.say(wantsText(run.definition, run.revision));
  const { background } = session;
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
