import { readFileSync } from 'node:fs';
import { isEntryFile, readEntry } from '../../engine/entries/file.ts';
import { hasErrors, readWorkflow } from '../../engine/preflight/index.ts';
import { decodeSource } from '../../engine/source/index.ts';
import { type Entries, type EntryDefinition, entriesOf } from '../../model/library.ts';
import type { Problem } from '../../model/workflow.ts';
import { registry } from '../../steps/index.ts';
import { type CommandSpec, commandHelp, readArgs, UsageError, wantsHelp } from '../args.ts';
import { problemLine } from '../run/problems.ts';

const SPEC: CommandSpec = {
  name: 'validate',
  does: 'Checks files of workflows, recipes and agents: everything that can be known without a browser',
  takes: 'FILE…',
  options: { json: { help: 'one line of JSON a file: {file, valid, problems}' } },
  notes: [
    'Each problem is a line: file:line:column code message. Warnings do not refuse a workflow.',
    'A workflow may name the recipes and agents of files that are checked with it.',
    'Ends with 1 when there are errors.',
  ],
};

/**
 * `tabloom validate FILE… [--json]`.
 * @returns 0 when no file has an error, else 1.
 * @throws UsageError for a wrong command line.
 */
export async function validate(args: string[]): Promise<number> {
  if (wantsHelp(args)) {
    process.stdout.write(commandHelp(SPEC));
    return 0;
  }
  const { positionals, on } = readArgs(SPEC, args);
  if (positionals.length === 0) throw new UsageError('Name the file to check: tabloom validate FILE….');
  let failed = false;
  const read = positionals.map(readText);
  // What is named together is checked together: workflows may name the recipes and agents among the files.
  const entries = entriesOf(read.flatMap(({ text }) => (text === undefined ? [] : entryIn(text))));
  for (const one of read) {
    const { file } = one;
    const problems = check(one, entries);
    failed ||= hasErrors(problems);
    for (const line of on('json') ? [jsonLine(file, problems)] : textLines(file, problems))
      process.stdout.write(`${line}\n`);
  }
  return failed ? 1 : 0;
}

/** A file, as far as it could be read. */
interface ReadText {
  file: string;
  text?: string;
  problem?: Problem;
}

function readText(file: string): ReadText {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch {
    const message = 'Name a file that can be read.';
    return { file, problem: { code: 'file_unreadable', severity: 'error', message, pointer: '' } };
  }
  return { file, ...decodeSource(bytes) };
}

/** The recipe or agent that a file holds, where nothing in it is wrong. */
function entryIn(text: string): EntryDefinition[] {
  const { definition } = isEntryFile(text) ? readEntry(text, '', registry) : {};
  return definition ? [definition] : [];
}

function check({ file, text, problem }: ReadText, entries: Entries): Problem[] {
  if (problem || text === undefined) return problem ? [problem] : [];
  if (isEntryFile(text)) return readEntry(text, file, registry).problems;
  return readWorkflow(text, file, registry, entries).problems;
}

function jsonLine(file: string, problems: Problem[]): string {
  return JSON.stringify({ file, valid: !hasErrors(problems), problems });
}

function textLines(file: string, problems: Problem[]): string[] {
  const lines = problems.map((problem) => problemLine(file, problem));
  return lines.length > 0 ? lines : [`${file}: no problems`];
}
