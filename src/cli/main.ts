import { UsageError } from './args.ts';
import { oneSentence } from './run/failure.ts';

/** One command of `tabloom`. Loaded only when it is called: `validate` needs no browser client, `test` no launcher. */
interface CommandEntry {
  help: string;
  load: () => Promise<(args: string[]) => Promise<number>>;
}

const COMMANDS: Record<string, CommandEntry> = {
  validate: {
    help: 'FILE…        checks workflow files, without a browser',
    load: async () => (await import('./commands/validate.ts')).validate,
  },
  test: {
    help: 'FILE…        runs workflow tests on the real engine, with nothing outside called',
    load: async () => (await import('./commands/test.ts')).test,
  },
  run: {
    help: 'FILE         runs a workflow in Chromium with the extension',
    load: async () => (await import('./commands/run.ts')).run,
  },
  schema: {
    help: '             prints the JSON Schema of the workflow format, for editors',
    load: async () => (await import('./commands/schema.ts')).schema,
  },
  verify: {
    help: 'EXPORT.json  checks that the events of an exported run are whole and unchanged',
    load: async () => (await import('./commands/verify.ts')).verify,
  },
  doctor: {
    help: '             looks at the browser, the extension and its stores, and says what to do',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  mcp: {
    help: '             lets an MCP client use your browsers’ workflows; pair, browsers, status, stop',
    load: async () => (await import('./commands/mcp.ts')).mcp,
  },
  start: {
    help: '             the demo: the sample site, a model or the stand-in for one, and a run that asks you',
    load: async () => (await import('./commands/start.ts')).start,
  },
};

const HELP = `tabloom: runs durable, approved multi-step AI workflows inside your own browser

${Object.entries(COMMANDS)
  .map(([name, { help }]) => `  tabloom ${name.padEnd(9)} ${help}`)
  .join('\n')}

  tabloom <command> --help tells more about each. The workflow format is described in docs/workflow-format.md.
`;

/**
 * The `tabloom` command.
 * @param args what stands behind `tabloom`.
 * @returns the exit status; 1 for a wrong command line, with one sentence on stderr.
 */
export async function main(args: string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(HELP);
    return 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  try {
    if (!command) throw new UsageError(`There is no command "${name}": see tabloom --help.`);
    return await (await command.load())(rest);
  } catch (error) {
    process.stderr.write(`${oneSentence(error)}\n`);
    if (process.env.TABLOOM_DEBUG && error instanceof Error) process.stderr.write(`${error.stack}\n`);
    return 1;
  }
}

if (import.meta.main) {
  // Who reads may have seen enough, as `head` does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  process.exitCode = await main(process.argv.slice(2));
}
