import { readFileSync } from 'node:fs';
import { hasErrors, readWorkflow } from '../../engine/preflight/index.ts';
import { decodeSource } from '../../engine/source/index.ts';
import type { Problem } from '../../model/workflow.ts';
import { registry } from '../../steps/index.ts';
import { type CommandSpec, commandHelp, readArgs, UsageError, wantsHelp } from '../args.ts';
import { problemLine } from '../run/problems.ts';

const SPEC: CommandSpec = {
  name: 'validate',
  does: 'Checks workflow files: everything that can be known without a browser',
  takes: 'FILE…',
  options: { json: { help: 'one line of JSON a file: {file, valid, problems}' } },
  notes: [
    'Each problem is a line: file:line:column code message. Warnings do not refuse a workflow.',
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
  for (const file of positionals) {
    const problems = check(file);
    failed ||= hasErrors(problems);
    for (const line of on('json') ? [jsonLine(file, problems)] : textLines(file, problems))
      process.stdout.write(`${line}\n`);
  }
  return failed ? 1 : 0;
}

function check(file: string): Problem[] {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch {
    return [{ code: 'file_unreadable', severity: 'error', message: 'Name a file that can be read.', pointer: '' }];
  }
  const decoded = decodeSource(bytes);
  return 'problem' in decoded ? [decoded.problem] : readWorkflow(decoded.text, file, registry).problems;
}

function jsonLine(file: string, problems: Problem[]): string {
  return JSON.stringify({ file, valid: !hasErrors(problems), problems });
}

function textLines(file: string, problems: Problem[]): string[] {
  const lines = problems.map((problem) => problemLine(file, problem));
  return lines.length > 0 ? lines : [`${file}: no problems`];
}
