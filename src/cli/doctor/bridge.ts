import { HubClient } from '../../bridge/front/hub-client.ts';
import { type Home, homeOf } from '../../bridge/home.ts';
import { Pairings } from '../../bridge/pairings.ts';
import { type Check, fail, ok, someOf, warn } from '../../view/doctor/check.ts';
import { translatorFor } from '../../view/messages/index.ts';

/** How long a bridge that runs may take to say how it is. Milliseconds. */
const ANSWER_MS = 5000;

/** How the bridge to MCP clients is. Looks only: starts none, and leaves one that runs as it is. */
export async function checkBridge(home: Home = homeOf()): Promise<Check> {
  const running = await HubClient.running(home.socket);
  try {
    return running ? await checkRunning(home) : await checkPairings(home);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return running
      ? fail('bridge', `The bridge to MCP clients does not answer (${why}).`, 'End it: tabloom mcp stop.')
      : fail('bridge', 'The list of paired browsers cannot be read.', why);
  }
}

async function checkPairings(home: Home): Promise<Check> {
  const pairings = new Pairings(home.pairings);
  await pairings.load();
  const count = pairings.all.length;
  return ok(
    'bridge',
    count === 0
      ? 'No browser is paired with MCP clients; tabloom mcp pair does that.'
      : `The bridge to MCP clients does not run, and the next client starts it. ${browsers(count)} paired.`,
  );
}

async function checkRunning(home: Home): Promise<Check> {
  const hub = new HubClient({ socket: home.socket, start: () => Promise.reject(new Error('it has ended')) });
  let timer: NodeJS.Timeout | undefined;
  try {
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer in ${ANSWER_MS / 1000} s`)), ANSWER_MS);
    });
    const { port, browsers: known, version } = await Promise.race([hub.status(), late]);
    if (port === 0)
      return fail(
        'bridge',
        'The bridge to MCP clients runs, and found no free port for browsers.',
        'Free one of its ports, then call tabloom mcp stop; the next client starts it again.',
      );
    const away = known.filter(({ linked }) => !linked).map(({ label }) => label);
    const where = `The bridge to MCP clients runs (version ${version}, port ${port}).`;
    if (known.length === 0) return ok('bridge', `${where} No browser is paired; tabloom mcp pair does that.`);
    if (away.length === 0) return ok('bridge', `${where} ${browsers(known.length)} paired and linked.`);
    return warn(
      'bridge',
      `${where} Not linked: ${someOf(away, translatorFor('en'))}.`,
      'Open that browser; if it is open, see Settings, MCP clients in it.',
    );
  } finally {
    clearTimeout(timer);
    hub.close();
  }
}

function browsers(count: number): string {
  return count === 1 ? 'One browser is' : `${count} browsers are`;
}
