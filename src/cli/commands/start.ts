import { resolve } from 'node:path';
import { originsOf } from '../../engine/values/sites.ts';
import { type SampleSite, startSampleSite } from '../../examples/site/server.ts';
import { STAND_IN_MODEL, type StandIn, startStandIn } from '../../examples/stand-in/server.ts';
import { type CommandSpec, commandHelp, readArgs, UsageError, wantsHelp } from '../args.ts';
import { hasDisplay } from '../browser/display.ts';
import { executeSaid } from '../run/execute.ts';
import { type Io, terminalIo } from '../run/io.ts';
import { type ModelSetup, modelFromKeys } from '../run/model.ts';
import { type RunOptions, readModel, SHARED_OPTIONS } from '../run/options.ts';
import { defaultFolder, OutFolder } from '../run/out-folder.ts';
import { oneLine } from '../run/text.ts';

const SPEC: CommandSpec = {
  name: 'start',
  does: 'The demo: a sample expense site, the example workflow, and a run that asks before it sends anything',
  options: SHARED_OPTIONS,
  notes: [
    'The model is the one of --model; else OpenAI or Anthropic, where OPENAI_API_KEY or ANTHROPIC_API_KEY is set; else the',
    'stand-in, a set of fixed rules that is not a model and says so.',
    'With a display you decide in the browser. Without one the real popup is opened and its Approve button clicked.',
  ],
};

const WORKFLOW = resolve(import.meta.dirname, '../../examples/expense-review.yaml');
/** What the example's `sites` ask for, as the person would be asked. */
const GRANTS = originsOf(['http://127.0.0.1/*', 'http://localhost/*']);

/** The sample site is gone with the command, so a run of the demo cannot be gone on with. */
const AGAIN = 'The sample site ends with this command, so start again with npm start.';

/** One line on what the person will see and where to click. */
export function whatNext(headless: boolean): string {
  return headless
    ? 'Next: nothing to do for you; when the run asks, the real popup is opened and its Approve button clicked.'
    : "Next: a browser opens and works by itself; when it asks, click Tabloom's button in the toolbar (or press Ctrl+Shift+Y; a new browser " +
        'hides the button behind the puzzle piece), look at what would be sent, and click Approve or Reject.';
}

/**
 * `npm start`: everything from nothing to a run that has asked and acted.
 * @returns the exit status of the run.
 * @throws UsageError for a wrong command line; the launcher's errors.
 */
export async function start(args: string[]): Promise<number> {
  if (wantsHelp(args)) {
    process.stdout.write(commandHelp(SPEC));
    return 0;
  }
  const parsed = readArgs(SPEC, args);
  if (parsed.positionals.length > 0)
    throw new UsageError('The demo takes no file: to run your own use tabloom run FILE.');
  const io = terminalIo(parsed.on('json'));
  const headless = parsed.on('headless') || !hasDisplay();
  const asked = readModel(parsed, process.env) ?? modelFromKeys(process.env);
  const site = await startSampleSite();
  let standIn: StandIn | undefined;
  try {
    io.say(`The sample expense site is at ${site.url}/expenses.`);
    if (!asked) {
      standIn = await startStandIn({ log: () => undefined });
      io.say(
        'No key and no --model: the stand-in answers instead. It is a set of fixed rules and NOT a language model.',
      );
    }
    const model: ModelSetup = asked ?? { provider: 'openai-compatible', model: STAND_IN_MODEL, baseUrl: standIn?.url };
    const folder = new OutFolder(parsed.value('out') ?? defaultFolder('expense-review', new Date()));
    const options: RunOptions = {
      file: WORKFLOW,
      library: [],
      input: { url: `${site.url}/expenses` },
      headless,
      grants: GRANTS,
      // Without a window nobody can click; the popup is real all the same, and so is the click.
      approve: headless,
      model,
      json: parsed.on('json'),
      outDir: folder.path,
      again: AGAIN,
    };
    io.say(whatNext(headless));
    const exitCode = await executeSaid(options, io, process.env);
    reportSite(site, folder, io);
    return exitCode;
  } finally {
    await standIn?.close();
    await site.close();
  }
}

/** What the other side saw: the site's own log, which knows nothing of the run. */
function reportSite(site: SampleSite, folder: OutFolder, io: Io): void {
  const log = site.log();
  const name = folder.write('server-log.json', `${JSON.stringify(log, null, 2)}\n`);
  io.say(
    `\nThe sample site was sent ${log.length === 0 ? 'nothing' : `${log.length} ${log.length === 1 ? 'message' : 'messages'}`}:`,
  );
  for (const { id, submitted, accepted } of log) {
    io.say(`  line ${id}, ${accepted ? 'accepted' : 'REFUSED'}: ${oneLine(String(submitted?.message ?? ''), 200)}`);
  }
  const twice = log.length - new Set(log.map(({ id }) => id)).size;
  io.say(twice === 0 ? 'No line was sent twice.' : `${twice} came more than once.`);
  io.say(`Its log is ${name} in ${folder.path}.`);
}
