import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { requireChromium } from '../../../src/cli/browser/find.ts';
import type { Contender } from './contender.ts';

/** The part of the MCP SDK's client that is used; the SDK is the caller's. */
interface Client {
  connect(transport: unknown): Promise<void>;
  callTool(
    call: { name: string; arguments: object },
    schema: undefined,
    options: { timeout: number },
  ): Promise<{ isError?: boolean; content?: { type: string; text?: string }[] }>;
  getServerVersion(): { version: string } | undefined;
  close(): Promise<void>;
}

type Call = [tool: string, args: object];

interface Peer {
  package: string;
  bin?: string;
  args(chromium: string, root: boolean): string[];
  navigate(url: string): Call;
  snapshot: Call;
  click(ref: string): Call;
  ref: RegExp;
  clicks: Call;
}

const PEERS: readonly Peer[] = [
  {
    package: '@playwright/mcp',
    args: (chromium, root) => [
      '--headless',
      '--isolated',
      ...(root ? ['--no-sandbox'] : []),
      '--executable-path',
      chromium,
    ],
    navigate: (url) => ['browser_navigate', { url }],
    snapshot: ['browser_snapshot', {}],
    click: (ref) => ['browser_click', { element: 'Count', target: ref, ref }],
    ref: /button "Count"[^\n]*\[ref=([^\]]+)\]/,
    clicks: ['browser_evaluate', { function: '() => window.c' }],
  },
  {
    package: 'chrome-devtools-mcp',
    bin: 'chrome-devtools-mcp',
    args: (chromium, root) => [
      '--headless',
      '--isolated',
      '--executablePath',
      chromium,
      ...(root ? ['--chromeArg=--no-sandbox'] : []),
      '--no-usage-statistics',
      '--no-performance-crux',
    ],
    navigate: (url) => ['navigate_page', { pageId: 1, type: 'url', url }],
    snapshot: ['take_snapshot', { pageId: 1 }],
    click: (uid) => ['click', { pageId: 1, uid }],
    ref: /uid=(\S+) button "Count"/,
    clicks: ['evaluate_script', { pageId: 1, function: '() => window.c' }],
  },
];

const SDK = '@modelcontextprotocol/sdk';

/** Whether the folder holds what {@link startPeers} needs. @throws Error that says what is missing */
export function checkPeers(folder: string): void {
  const missing = [SDK, ...PEERS.map((peer) => peer.package)].filter(
    (name) => !existsSync(join(folder, 'node_modules', name)),
  );
  if (missing.length > 0) throw new Error(`Check --peers: install ${missing.join(', ')} in ${folder} first.`);
}

/** Browser MCP servers of others as they come: processes on stdio, driven by the SDK's client, from packages in a folder of the caller's. */
export async function startPeers(folder: string): Promise<Contender[]> {
  const require = createRequire(join(resolve(folder), 'package.json'));
  const load = (path: string): Promise<Record<string, unknown>> =>
    import(pathToFileURL(require.resolve(`${SDK}/${path}`)).href);
  const { Client } = (await load('client/index.js')) as { Client: new (info: object) => Client };
  const { StdioClientTransport } = (await load('client/stdio.js')) as {
    StdioClientTransport: new (options: object) => unknown;
  };
  const started: Contender[] = [];
  for (const peer of PEERS) {
    // They drop files into their current folder.
    const cwd = mkdtempSync(join(tmpdir(), 'tabloom-bench-peer-'));
    const client = new Client({ name: 'bench', version: '1.0.0' });
    const args = [program(require, peer), ...peer.args(requireChromium().path, process.getuid?.() === 0)];
    const env = { ...process.env, CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS: '1' };
    await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd, stderr: 'ignore', env }));
    const call = async ([name, given]: Call): Promise<string> => {
      const answer = await client.callTool({ name, arguments: given }, undefined, { timeout: 60_000 });
      const text = (answer.content ?? []).flatMap((part) => (part.type === 'text' ? [part.text ?? ''] : [])).join('\n');
      if (answer.isError) throw new Error(`${peer.package} ${name}: ${text.slice(0, 300)}`);
      return text;
    };
    started.push({
      name: peer.package,
      version: client.getServerVersion()?.version ?? '',
      ref: peer.ref,
      navigate: async (url) => void (await call(peer.navigate(url))),
      snapshot: () => call(peer.snapshot),
      click: async (ref) => void (await call(peer.click(ref))),
      clicks: async () => Number(/^\s*(\d+)\s*$/m.exec(await call(peer.clicks))?.[1]),
      async close() {
        await client.close();
        rmSync(cwd, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
      },
    });
  }
  return started;
}

/** Path of a package's program. */
function program(require: NodeJS.Require, peer: Peer): string {
  const file = require.resolve(`${peer.package}/package.json`);
  const { bin } = JSON.parse(readFileSync(file, 'utf8')) as { bin: string | Record<string, string> };
  const path = typeof bin === 'string' ? bin : (bin[peer.bin ?? ''] ?? Object.values(bin)[0]);
  return join(dirname(file), path as string);
}
