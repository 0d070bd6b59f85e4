import { afterEach, expect, it } from 'vitest';
import { startMcpServer, type TestMcpServer } from '../support/mcp-server.ts';
import { settle } from './fake.ts';
import { setUp, type World } from './world.ts';

/** MCP servers of the settings, from the page that adds one to the step that calls a tool of it. */

let server: TestMcpServer | undefined;
afterEach(() => server?.close());

const CALL = `format: tabloom/v1
id: call
name: Call
steps:
  - { id: find, type: mcp_tool, server: crm, tool: find, arguments: { name: Ada } }
output: "{{step.find}}"
`;

async function ended(world: World, runId: string) {
  for (let tries = 0; tries < 100; tries++) {
    await settle();
    const run = await world.store.run(runId);
    if (run?.status === 'completed' || run?.status === 'failed') return run;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('the run does not end');
}

it('a server that is added: its tools are listed, a step calls one, and another life of the worker knows what it may do', async () => {
  server = await startMcpServer({ sessions: true, events: true });
  const world = setUp();
  await world.ask('mcp.set', { servers: [{ name: 'crm', url: server.url }] });
  expect(await world.ask('mcp.get', {})).toEqual({ servers: [{ name: 'crm', url: server.url }] });
  expect(await world.ask('mcp.test', { name: 'crm' })).toEqual({
    ok: true,
    tools: ['find', 'send', 'set'],
    message: '',
  });
  server.script({ result: { content: [], structuredContent: { id: 7 } } });
  await world.ask('workflow.import', { source: CALL, enable: true });
  const answer = await world.ask('run.start', { workflowId: 'call', input: {} });
  if (!('runId' in answer)) throw new Error(JSON.stringify(answer.refused));
  expect((await ended(world, answer.runId)).output).toEqual({ id: 7 });
  expect((await world.store.steps(answer.runId)).map((row) => row.effect)).toEqual(['read']);

  const later = world.restart();
  await later.ask('mcp.get', {});
  const { app } = await later.runtime.ready();
  expect(app.mcp.port.known('crm', 'set')?.annotations).toMatchObject({ idempotentHint: true });
});

it('a tool that its server describes otherwise: the step is stopped, a person sees the change and accepts it, also in another life', async () => {
  const find = (description: string) => ({
    name: 'find',
    description,
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
  });
  const tools = [find('Finds.')];
  server = await startMcpServer({ tools });
  const world = setUp();
  await world.ask('mcp.set', { servers: [{ name: 'crm', url: server.url }] });
  await world.ask('mcp.test', { name: 'crm' });
  await world.ask('workflow.import', { source: CALL, enable: true });
  tools[0] = find('Finds, and tells others.');
  // Another life asks anew.
  const later = world.restart();
  expect(await later.ask('mcp.changes', {})).toEqual({ changes: [] });
  await later.ask('mcp.test', { name: 'crm' });
  const { changes } = await later.ask('mcp.changes', {});
  expect(changes).toMatchObject([
    {
      server: 'crm',
      tool: 'find',
      before: { description: 'Finds.' },
      now: { description: 'Finds, and tells others.' },
    },
  ]);
  const answer = await later.ask('run.start', { workflowId: 'call', input: {} });
  if (!('runId' in answer)) throw new Error(JSON.stringify(answer.refused));
  const failed = await ended(later, answer.runId);
  expect(failed.error).toMatchObject({ code: 'bad_request', details: { reason: 'tool_changed', tool: 'find' } });
  expect(server.methods()).not.toContain('tools/call');

  const [change] = changes;
  const accept = { server: 'crm', tool: 'find', hash: change?.hash ?? '' };
  await expect(later.ask('mcp.accept', { ...accept, hash: '0'.repeat(64) })).rejects.toThrow('bad_request');
  expect(await later.ask('mcp.accept', accept)).toEqual({ changes: [] });
  const again = await later.ask('run.start', { workflowId: 'call', input: {} });
  expect('runId' in again && (await ended(later, again.runId)).status).toBe('completed');
});

it('a server that is not there, and one that does not answer: the run does not start', async () => {
  server = await startMcpServer();
  const world = setUp();
  await world.ask('workflow.import', { source: CALL, enable: true });
  for (const servers of [[], [{ name: 'crm', url: server.url }]]) {
    if (servers.length > 0) await server.close();
    await world.ask('mcp.set', { servers });
    const answer = await world.ask('run.start', { workflowId: 'call', input: {} });
    expect('refused' in answer && answer.refused.problems?.map(({ code }) => code)).toEqual(['mcp_unreachable']);
    expect(await world.ask('mcp.test', { name: 'crm' })).toMatchObject({ ok: false, tools: [] });
  }
});

it.each([
  ['a name that would not fit into the name of a tool', { name: 'a__b', url: 'https://x.example/mcp' }],
  ['an address that is neither encrypted nor here', { name: 'crm', url: 'http://x.example/mcp' }],
  ['an address with a password', { name: 'crm', url: 'https://u:p@x.example/mcp' }],
])('%s: is not saved', async (_name, wrong) => {
  const world = setUp();
  await expect(world.ask('mcp.set', { servers: [wrong] })).rejects.toThrow('bad_request');
  expect(await world.ask('mcp.get', {})).toEqual({ servers: [] });
});
