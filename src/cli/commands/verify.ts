import { readFileSync } from 'node:fs';
import { verifyExport } from '../../model/run-export.ts';
import { type CommandSpec, commandHelp, readArgs, UsageError, wantsHelp } from '../args.ts';

const SPEC: CommandSpec = {
  name: 'verify',
  does: 'Checks that the events of an exported run are whole, unchanged and in order',
  takes: 'EXPORT.json',
  options: { json: { help: 'one line of JSON: {file, valid, events} or {file, valid, seq, message}' } },
  notes: [
    'An export comes from the run in the browser ("Export events"), or from tabloom run --export FILE.',
    'Ends with 1, and names the first broken event, when something was changed, left out or put in.',
  ],
};

/**
 * `tabloom verify EXPORT.json [--json]`.
 * @returns 0 when the chain holds, else 1.
 * @throws UsageError for a wrong command line.
 */
export async function verify(args: string[]): Promise<number> {
  if (wantsHelp(args)) {
    process.stdout.write(commandHelp(SPEC));
    return 0;
  }
  const { positionals, on } = readArgs(SPEC, args);
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new UsageError('Name one exported run: tabloom verify EXPORT.json.');
  const verdict = verifyExport(readJson(file));
  const valid = !('broken' in verdict);
  if (on('json')) {
    const told = valid ? { events: verdict.events } : { seq: verdict.seq ?? null, message: verdict.broken };
    process.stdout.write(`${JSON.stringify({ file, valid, ...told })}\n`);
  } else if (valid) process.stdout.write(`${file}: all ${verdict.events} events of run ${verdict.runId} hold.\n`);
  else process.stderr.write(`${file}: ${verdict.broken}\n`);
  return valid ? 0 : 1;
}

function readJson(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new UsageError(`Name a file that can be read: ${file} cannot.`);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new UsageError(`Give an exported run: ${file} is no JSON.`);
  }
}
