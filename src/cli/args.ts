import { parseArgs } from 'node:util';

/** The command line was wrong. The message is one sentence that says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** One `--option` of a command. */
export interface OptionSpec {
  /** Name of its value in the help, for example `DIR`. Without it the option is a switch. */
  value?: string;
  /** May be given more than once. */
  many?: boolean;
  help: string;
}

/** What a command takes: shown by `--help`, and the only things that are accepted. */
export interface CommandSpec {
  name: string;
  /** One sentence without a full stop. */
  does: string;
  /** Positional arguments as the help shows them, for example `FILE…`. */
  takes?: string;
  options: Record<string, OptionSpec>;
  /** More lines for the help. */
  notes?: string[];
}

/** A command line, read. */
export interface Parsed {
  positionals: string[];
  /** Switches that were given. */
  on(name: string): boolean;
  /** Value of an option; the last one where it was given twice. */
  value(name: string): string | undefined;
  /** All values of an option, in order. */
  values(name: string): string[];
}

/**
 * Reads the arguments of a command. Options may stand anywhere; `--` ends them.
 * @throws UsageError for an unknown option, a missing value, or a value where none belongs.
 */
export function readArgs(spec: CommandSpec, args: readonly string[]): Parsed {
  const options = Object.fromEntries(
    Object.entries(spec.options).map(([name, { value }]) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), multiple: true },
    ]),
  );
  const see = `see tabloom ${spec.name} --help`;
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
    const list = (name: string): unknown[] => {
      const found: unknown = values[name];
      return Array.isArray(found) ? found : [];
    };
    for (const [name, { many }] of Object.entries(spec.options)) {
      if (!many && list(name).length > 1) throw new UsageError(`Give --${name} only once: ${see}.`);
    }
    return {
      positionals,
      on: (name) => list(name).length > 0,
      value: (name) => list(name).at(-1) as string | undefined,
      values: (name) => list(name) as string[],
    };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // Node's own messages run over several sentences; the first names the option.
    const first =
      error instanceof Error ? (error.message.split(/\.\s|\n/)[0] ?? '').replace(/\.$/, '') : 'It was not understood';
    throw new UsageError(`${first}: ${see}.`);
  }
}

/**
 * Lets an option take several values in a row: `--grant A B` becomes `--grant A --grant B`, as long as what follows passes `belongs`.
 */
export function spread(args: readonly string[], option: string, belongs: (value: string) => boolean): string[] {
  const out: string[] = [];
  let taking = false;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as string;
    if (arg === option) {
      taking = true;
      out.push(arg);
      if (i + 1 < args.length) out.push(args[++i] as string);
    } else if (taking && belongs(arg)) {
      out.push(option, arg);
    } else {
      taking = false;
      out.push(arg);
    }
  }
  return out;
}

/** True when help is asked for instead of work. */
export function wantsHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).some((arg) => arg === '--help' || arg === '-h');
}

/** The text of `tabloom <command> --help`. */
export function commandHelp(spec: CommandSpec): string {
  const call = ['tabloom', spec.name, spec.takes, Object.keys(spec.options).length > 0 ? '[options]' : undefined];
  const rows = Object.entries(spec.options).map(([name, { value, help }]): [string, string] => [
    `--${name}${value === undefined ? '' : ` ${value}`}`,
    help,
  ]);
  rows.push(['--help', 'this text']);
  const width = Math.max(...rows.map(([left]) => left.length));
  return [
    call.filter(Boolean).join(' '),
    `  ${spec.does}.`,
    '',
    ...rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`),
    ...(spec.notes ? ['', ...spec.notes.map((line) => `  ${line}`)] : []),
    '',
  ].join('\n');
}
