import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js';

const TABLOOM = resolve(import.meta.dirname, '../../src/cli/tabloom.mjs');

/** What a tool has answered. */
export interface ToolAnswer {
  isError?: boolean;
  content: { type: string; text?: string }[];
  structuredContent?: Record<string, unknown>;
}

/** `tabloom mcp` as MCP clients start it: real processes, one hub for each `McpFronts`. */
export class McpFronts {
  readonly #home: string;
  readonly #clients: { close(): Promise<void> }[] = [];

  private constructor(home: string) {
    this.#home = home;
  }

  static async make(): Promise<McpFronts> {
    return new McpFronts(await mkdtemp(join(tmpdir(), 'tb-mcp-')));
  }

  get #env(): Record<string, string> {
    return { ...(process.env as Record<string, string>), TABLOOM_HOME: this.#home };
  }

  /** A client of one of the protocol's eras, connected. */
  async client(era: 'legacy' | 'modern', name = `${era} client`) {
    const start = { command: process.execPath, args: [TABLOOM, 'mcp'], env: this.#env, stderr: 'inherit' as const };
    const info = { name, version: '1.0.0' };
    const [client, transport] =
      era === 'legacy'
        ? [new LegacyClient(info), new LegacyStdio(start)]
        : [new ModernClient(info, { versionNegotiation: { mode: 'auto' } }), new ModernStdio(start)];
    // Both are called alike; their types come from two packages.
    const either = client as ModernClient;
    await either.connect(transport as ModernStdio);
    this.#clients.push(either);
    return {
      pid: transport.pid,
      tools: async () => (await either.listTools()).tools,
      call: async (tool: string, args: Record<string, unknown> = {}) =>
        (await either.callTool({ name: tool, arguments: args })) as unknown as ToolAnswer,
      read: async (uri: string) => (await either.readResource({ uri })).contents,
      close: () => either.close(),
    };
  }

  /** Runs `tabloom mcp WORD…` to its end. */
  async run(...words: string[]): Promise<{ status: number | null; stdout: string; stderr: string }> {
    const child = this.start(...words);
    const out = { stdout: '', stderr: '' };
    child.stdout?.on('data', (chunk: Buffer) => {
      out.stdout += chunk;
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      out.stderr += chunk;
    });
    const status = await new Promise<number | null>((done) => child.once('exit', done));
    return { status, ...out };
  }

  start(...words: string[]): ChildProcess {
    return spawn(process.execPath, [TABLOOM, 'mcp', ...words], { env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /** `tabloom mcp pair`: its code, and how it ends. */
  async pair(): Promise<{ code: string; ended: Promise<{ status: number | null; stdout: string }> }> {
    const child = this.start('pair');
    let stdout = '';
    const code = await new Promise<string>((found, failed) => {
      child.stdout?.on('data', (chunk: Buffer) => {
        stdout += chunk;
        const [seen] = /[0-9A-Z]{4}(?:-[0-9A-Z]{4}){2}/.exec(stdout) ?? [];
        if (seen) found(seen);
      });
      child.once('exit', (status) => failed(new Error(`tabloom mcp pair ended with ${status}`)));
    });
    const ended = new Promise<{ status: number | null; stdout: string }>((done) =>
      child.once('exit', (status) => done({ status, stdout })),
    );
    return { code, ended };
  }

  async close(): Promise<void> {
    for (const client of this.#clients) await client.close().catch(() => undefined);
    await this.run('stop');
    await rm(this.#home, { recursive: true, force: true });
  }
}
