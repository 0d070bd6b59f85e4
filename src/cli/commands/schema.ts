import { registry } from '../../steps/index.ts';
import { workflowSchema } from '../../steps/workflow-schema.ts';
import { type CommandSpec, commandHelp, readArgs, UsageError, wantsHelp } from '../args.ts';

const SPEC: CommandSpec = {
  name: 'schema',
  does: 'Prints the JSON Schema (2020-12) of the workflow format, for editors',
  options: {},
  notes: [
    'Keep it in a file, tabloom schema > workflow.schema.json, and name that in the first line of a workflow:',
    '  # yaml-language-server: $schema=./workflow.schema.json',
  ],
};

/**
 * `tabloom schema`.
 * @returns 0.
 * @throws UsageError for a wrong command line.
 */
export async function schema(args: string[]): Promise<number> {
  if (wantsHelp(args)) {
    process.stdout.write(commandHelp(SPEC));
    return 0;
  }
  const { positionals } = readArgs(SPEC, args);
  if (positionals.length > 0) throw new UsageError('Give no file: tabloom schema > workflow.schema.json.');
  process.stdout.write(`${JSON.stringify(workflowSchema(registry), null, 2)}\n`);
  return 0;
}
