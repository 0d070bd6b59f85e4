import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { HubClient } from './hub-client.ts';
import { createServer } from './server.ts';
import { FrontSession } from './session.ts';

export interface StdioOptions {
  socket: string;
  version: string;
  /** List the fewest tools that a client needs. */
  slim?: boolean;
  startHub(): Promise<void>;
  stdin: Readable;
  stdout: Writable;
  log(line: string): void;
}

/**
 * Serves one MCP client on stdio until it goes away.
 * @returns once the client has closed its end and everything is let go
 */
export async function serveFront(options: StdioOptions): Promise<void> {
  const { stdin, stdout, log } = options;
  const hub = new HubClient({
    socket: options.socket,
    start: options.startHub,
    log,
    // Another browser has other workflows.
    onBrowsers: () => session.changed(['tools', 'resources']),
    onChanged: (_instance, what) => session.changed(what),
  });
  const session: FrontSession = new FrontSession(hub);
  const transport = new StdioServerTransport(stdin, stdout);
  // The SDK stays as long as any timer or socket does: https://github.com/modelcontextprotocol/typescript-sdk/issues/2002
  const ended = new Promise<void>((resolve) => {
    stdin.once('end', resolve);
    stdin.once('close', resolve);
    stdout.once('error', () => resolve());
  });
  const handle = serveStdio((context) => createServer(session, options, context), {
    transport,
    onerror: (error) => log(error.message),
  });
  await ended;
  hub.close();
  await handle.close().catch(() => undefined);
}
