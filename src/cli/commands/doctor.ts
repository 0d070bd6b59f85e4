import { allWell, type Check } from '../../view/doctor/check.ts';
import { checkLine } from '../../view/doctor/report.ts';
import { type CommandSpec, commandHelp, readArgs, UsageError, wantsHelp } from '../args.ts';
import { hasDisplay } from '../browser/display.ts';
import { checkBridge } from '../doctor/bridge.ts';
import { lookInBrowser } from '../doctor/browser.ts';
import { checkBuild, checkChromium, checkDisplay, checkLoopback, checkNode, checkProfile } from '../doctor/machine.ts';
import { terminalIo } from '../run/io.ts';

const SPEC: CommandSpec = {
  name: 'doctor',
  does: 'Looks at this computer, the browser, the extension and what it has stored: one line each, with what to do',
  options: {
    profile: { value: 'DIR', help: 'the browser profile to look at (default: a fresh, temporary one)' },
    headless: { help: 'without a window; by itself where there is no display' },
    'test-model': { help: 'calls the default model of the profile once, with one word' },
    json: {
      help: 'the last line on standard output is {ok, checks: [{id, state, message, todo}]}, the rest is on standard error',
    },
  },
  notes: [
    '✓ ok, ! needs a look, ✗ failed. Ends with 0 when nothing has failed, else with 1.',
    'Runs that are unfinished in the profile go on while its browser is open, as they would with any other start of it.',
    'The bridge to MCP clients is looked at as it is: none is started.',
  ],
};

/**
 * `tabloom doctor`: see {@link SPEC}.
 * @returns 0 when nothing has failed, else 1.
 * @throws UsageError for a wrong command line.
 */
export async function doctor(args: string[]): Promise<number> {
  if (wantsHelp(args)) {
    process.stdout.write(commandHelp(SPEC));
    return 0;
  }
  const parsed = readArgs(SPEC, args);
  if (parsed.positionals.length > 0)
    throw new UsageError(`tabloom doctor takes no "${parsed.positionals[0]}": see tabloom doctor --help.`);
  const io = terminalIo(parsed.on('json'));
  const profileDir = parsed.value('profile');
  const displayed = hasDisplay();
  const headless = parsed.on('headless') || !displayed;
  const checks: Check[] = [];
  const tell = (...found: Check[]) => {
    checks.push(...found);
    for (const check of found) io.say(checkLine(check));
  };

  const chromium = checkChromium();
  const build = checkBuild();
  const profile = checkProfile(profileDir);
  tell(checkNode(), build, chromium.check, checkDisplay(displayed, headless), await checkLoopback());
  tell(await checkBridge(), profile);
  const startable = [build, chromium.check, profile].every(({ state }) => state !== 'fail');
  if (startable) {
    const testModel = parsed.on('test-model');
    tell(...(await lookInBrowser({ headless, executablePath: chromium.path, profileDir, testModel })));
  }
  const failed = checks.filter(({ state }) => state === 'fail').length;
  if (!startable) io.say('The browser was not started: see to the failed lines first.');
  io.say(failed === 0 ? 'Nothing has failed.' : `${failed} of ${checks.length} checks failed.`);
  io.result({ ok: allWell(checks), checks: checks.map((check) => ({ ...check, todo: check.todo ?? null })) });
  return failed === 0 ? 0 : 1;
}
