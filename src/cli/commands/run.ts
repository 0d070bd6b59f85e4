import { commandHelp, wantsHelp } from '../args.ts';
import { hasDisplay } from '../browser/display.ts';
import { executeSaid } from '../run/execute.ts';
import { terminalIo } from '../run/io.ts';
import { RUN_SPEC, readRunOptions } from '../run/options.ts';

/**
 * `tabloom run FILE …`: see {@link RUN_SPEC}.
 * @returns 0 completed, 1 failed or cancelled, 2 refused by preflight, 3 partial, 4 waiting.
 * @throws UsageError for a wrong command line; the launcher's errors.
 */
export async function run(args: string[]): Promise<number> {
  if (wantsHelp(args)) {
    process.stdout.write(commandHelp(RUN_SPEC));
    return 0;
  }
  const options = readRunOptions(args, process.env, hasDisplay());
  return executeSaid(options, terminalIo(options.json), process.env);
}
