import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { HubClient } from '../../bridge/front/hub-client.ts';
import { serveFront } from '../../bridge/front/stdio.ts';
import type { LinkedBrowser } from '../../bridge/front-wire.ts';
import { type Home, homeOf, makeHome } from '../../bridge/home.ts';
import { startHub } from '../../bridge/hub/hub.ts';
import { startHubProcess } from '../../bridge/start-hub.ts';
import { bridgeConfiguration } from '../../model/bridge-settings.ts';
import { type CommandSpec, commandHelp, readArgs, UsageError, wantsHelp } from '../args.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

const SPEC: CommandSpec = {
  name: 'mcp',
  does: 'Lets an MCP client (Claude Desktop, Cursor, VS Code, Claude Code) use the workflows of your browsers',
  takes: '[pair|browsers|status|stop|unpair LABEL]',
  options: {
    json: { help: 'with browsers or status: one line of JSON' },
    slim: { help: 'as the server: list only the tools that are needed most' },
  },
  notes: [
    'Without a word it is the MCP server itself, on standard input and output. Put this into the client’s configuration:',
    '',
    `  ${bridgeConfiguration(process.execPath, [join(ROOT, 'src/cli/tabloom.mjs')])}`,
    '',
    'pair          shows a code to enter in the extension, under Settings, MCP clients',
    'browsers      lists the browsers that are paired, and which are linked now',
    'status        says whether the bridge runs, and on which port browsers link',
    'unpair LABEL  takes a pairing back',
    'stop          ends the bridge; the next client starts it again',
    '',
    'Everything stays on this machine. TABLOOM_HOME names another folder for the bridge’s files.',
  ],
};

/**
 * `tabloom mcp [pair|browsers|status|stop|unpair LABEL] [--json]`.
 * @returns 0 when done; 1 where there is no hub, no such browser, or the code ran out
 * @throws UsageError for a wrong command line
 */
export async function mcp(args: string[]): Promise<number> {
  if (wantsHelp(args)) {
    process.stdout.write(commandHelp(SPEC));
    return 0;
  }
  const { positionals, on } = readArgs(SPEC, args);
  const [word, label, ...more] = positionals;
  if (more.length > 0 || (label !== undefined && word !== 'unpair')) throw new UsageError('See tabloom mcp --help.');
  const home = homeOf();
  switch (word) {
    case undefined:
      await makeHome(home);
      await serveFront({
        socket: home.socket,
        version: version(),
        slim: on('slim'),
        startHub: () => startHubProcess(home, HUB),
        stdin: process.stdin,
        stdout: process.stdout,
        log: say,
      });
      // Whatever still holds the process (a socket that closes slowly) holds nothing that is needed.
      process.exit(0);
      break;
    case 'hub':
      return runHub(home);
    case 'pair':
      return withHub(home, pair);
    case 'browsers':
      return withHub(home, (hub) => showBrowsers(hub, on('json')));
    case 'status':
      return status(home, on('json'));
    case 'stop':
      if (!(await HubClient.running(home.socket))) {
        process.stdout.write('The bridge does not run.\n');
        return 0;
      }
      return withHub(home, async (hub) => {
        await hub.stopHub();
        process.stdout.write('The bridge has stopped.\n');
        return 0;
      });
    case 'unpair':
      if (label === undefined) throw new UsageError('Name the browser: tabloom mcp unpair LABEL.');
      return withHub(home, (hub) => unpair(hub, label));
    default:
      throw new UsageError(`There is no "tabloom mcp ${word}": see tabloom mcp --help.`);
  }
}

/** Arguments that make this program the hub. Not in the help: nobody needs to call it. */
const HUB = [join(ROOT, 'src/cli/main.ts'), 'mcp', 'hub'];

async function runHub(home: Home): Promise<number> {
  await makeHome(home);
  return new Promise((resolve, reject) => {
    startHub({ home, version: version(), log: say, ended: () => resolve(0) }).then((hub) => {
      if (!hub) resolve(0);
      else for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void hub.stop());
    }, reject);
  });
}

async function withHub(home: Home, work: (hub: HubClient) => Promise<number>): Promise<number> {
  await makeHome(home);
  const hub = new HubClient({ socket: home.socket, start: () => startHubProcess(home, HUB) });
  try {
    return await work(hub);
  } finally {
    hub.close();
  }
}

function pair(hub: HubClient): Promise<number> {
  return new Promise((resolve, reject) => {
    hub
      .pair((message) => {
        if (message.t === 'code') {
          if (message.port === 0) {
            process.stderr.write(`${NO_PORT}\n`);
            return resolve(1);
          }
          const minutes = Math.round((message.expiresAt - Date.now()) / 60_000);
          process.stdout.write(
            `Open the extension’s Settings, MCP clients, and enter this code within ${minutes} minutes:\n\n  ${message.code}\n\nWaiting …\n`,
          );
        } else if (message.t === 'paired') {
          process.stdout.write(`Paired with "${message.browser.label}".\n`);
          resolve(0);
        } else {
          process.stderr.write(`${message.message}\n`);
          resolve(1);
        }
      })
      .catch(reject);
  });
}

async function showBrowsers(hub: HubClient, json: boolean): Promise<number> {
  const browsers = await hub.list();
  if (json) process.stdout.write(`${JSON.stringify({ browsers })}\n`);
  else if (browsers.length === 0) process.stdout.write('No browser is paired: run tabloom mcp pair.\n');
  else process.stdout.write(`${browsers.map(lineOf).join('\n')}\n`);
  return 0;
}

async function status(home: Home, json: boolean): Promise<number> {
  if (!(await HubClient.running(home.socket))) {
    process.stdout.write(json ? '{"running":false}\n' : 'The bridge does not run: the next MCP client starts it.\n');
    return 0;
  }
  return withHub(home, async (hub) => {
    const found = await hub.status();
    if (json) process.stdout.write(`${JSON.stringify({ running: true, ...found })}\n`);
    else {
      const where = found.port === 0 ? NO_PORT : `browsers link on 127.0.0.1:${found.port}`;
      const others = found.fronts - 1;
      process.stdout.write(
        `The bridge runs (process ${found.pid}, version ${found.version}); ${where}; ${others} MCP client${others === 1 ? '' : 's'}.\n`,
      );
      for (const browser of found.browsers) process.stdout.write(`${lineOf(browser)}\n`);
    }
    return found.port === 0 ? 1 : 0;
  });
}

async function unpair(hub: HubClient, named: string): Promise<number> {
  const found = (await hub.list()).filter(({ instance, label }) => instance === named || label === named);
  if (found.length !== 1) {
    process.stderr.write(
      found.length === 0
        ? `No browser is called "${named}": see tabloom mcp browsers.\n`
        : `Several browsers are called "${named}": give the id that tabloom mcp browsers shows.\n`,
    );
    return 1;
  }
  const [{ instance, label }] = found as [LinkedBrowser];
  await hub.unpair(instance);
  process.stdout.write(`"${label}" is no longer paired.\n`);
  return 0;
}

const NO_PORT = 'Free one of the ports that the bridge may use, then run tabloom mcp stop and try again: none is free';

function lineOf({ label, browser, linked, instance, version: of }: LinkedBrowser): string {
  return `${label}  ${browser}${of ? ` ${of}` : ''}  ${linked ? 'linked' : 'not linked'}  ${instance}`;
}

function version(): string {
  return (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;
}

/** Standard output belongs to the protocol. */
function say(line: string): void {
  process.stderr.write(`tabloom mcp: ${line}\n`);
}
