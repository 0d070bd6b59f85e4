import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { type Extension, expect, test } from '../support/extension.ts';
import { McpFronts } from '../support/mcp-front.ts';

/** An MCP client through the whole chain: `tabloom mcp` on stdio, the hub, the built extension in Chromium. */

const WORKFLOW = `format: tabloom/v1
id: add-up
name: Add up
description: Adds numbers, and asks before it says the sum.
inputs:
  type: object
  required: [items]
  properties: { items: { type: array, items: { type: number }, description: The numbers } }
triggers: [{ id: tool, type: mcp }]
steps:
  - { id: sum, type: deterministic_command, operation: list.sum, arguments: { items: "{{workflow_input.items}}" } }
  - { id: gate, type: approval, title: "Tell {{step.sum}}?", message: Look at the sum, risk: reversible }
output: { total: "{{step.sum}}" }
`;
const HIDDEN = WORKFLOW.replace('id: add-up', 'id: not-a-tool').replace('triggers: [{ id: tool, type: mcp }]\n', '');

let fronts: McpFronts;
test.beforeEach(async () => {
  fronts = await McpFronts.make();
});
test.afterEach(() => fronts.close());

async function importAll(extension: Extension): Promise<void> {
  for (const source of [WORKFLOW, HIDDEN])
    await extension.send({ tabloom: 1, name: 'workflow.import', payload: { source, enable: true } });
  // Off until a person says so, like any trigger.
  const payload = { workflowId: 'add-up', triggerId: 'tool', on: true };
  await extension.send({ tabloom: 1, name: 'trigger.switch', payload });
}

/** Pairs as a person does: the terminal shows a code, Settings take it. */
async function pair(extension: Extension): Promise<Page> {
  const { code, ended } = await fronts.pair();
  const settings = await extension.open('app.html#/settings');
  const bridge = settings.getByTestId('bridge');
  await bridge.getByTestId('bridge-label').fill('Work');
  await bridge.getByTestId('bridge-code').fill('0000-0000-0000');
  await bridge.getByTestId('bridge-pair').click();
  await expect(bridge).toContainText('Check the code');
  await bridge.getByTestId('bridge-code').fill(code.toLowerCase().replaceAll('-', ' '));
  await bridge.getByTestId('bridge-pair').click();
  await expect(bridge.getByTestId('bridge-link')).toHaveText('linked');
  expect(await ended).toMatchObject({ status: 0, stdout: expect.stringContaining('Paired with "Work"') });
  return settings;
}

for (const era of ['legacy', 'modern'] as const) {
  test(`a client of the ${era} protocol: paired, a workflow as its tool, a person decides, the outcome comes`, async ({
    extension,
  }) => {
    await importAll(extension);
    const client = await fronts.client(era, 'Test client');
    expect(await client.call('runs_list')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('tabloom mcp pair') }],
    });
    const settings = await pair(extension);

    const tools = await client.tools();
    const names = tools.map(({ name }) => name);
    expect(names).toContain('run_add-up');
    expect(names).not.toContain('run_not-a-tool');
    expect(tools.find(({ name }) => name === 'run_add-up')).toMatchObject({
      title: 'Add up',
      inputSchema: { properties: { items: { description: 'The numbers' } }, required: ['items'] },
      outputSchema: { type: 'object' },
      annotations: { readOnlyHint: false },
    });
    for (const tool of tools) expect(tool.annotations, tool.name).toBeDefined();
    expect(JSON.stringify(tools).length).toBeLessThanOrEqual(12_000);

    // Bad input never starts anything.
    expect(await client.call('run_add-up', { items: 'no' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('input_invalid') }],
    });
    const begun = client.call('run_add-up', { items: [2, 3] });
    await expect
      .poll(async () => (await client.call('approvals_list')).structuredContent?.approvals)
      .toMatchObject([{ title: 'Tell 5?', risk: 'reversible' }]);
    const popup = await extension.open('popup.html');
    await expect(popup.getByTestId('approval-card')).toContainText('Tell 5?');
    await expect(popup.getByTestId('decision')).not.toHaveAttribute('data-inert');
    await popup.getByTestId('approve').click();
    const ended = (await begun).structuredContent;
    expect(await client.read(`run://${ended?.runId}/output`)).toMatchObject([
      { mimeType: 'application/json', text: JSON.stringify({ total: 5 }) },
    ]);
    expect(ended).toMatchObject({
      status: 'completed',
      ended: true,
      output: { total: 5 },
      browser: 'Work',
    });
    await expect(settings.getByTestId('bridge-client')).toContainText('Test client');
    expect((await new AxeBuilder({ page: settings }).analyze()).violations.map(({ id }) => id)).toEqual([]);
  });
}

test('the worker is stopped, the hub is killed, the pairing taken back: each time the client is served or told', async ({
  extension,
}) => {
  await importAll(extension);
  const settings = await pair(extension);
  const client = await fronts.client('modern');
  expect((await client.call('runs_list')).structuredContent).toEqual({ runs: [] });

  await extension.stopWorker();
  // Any event starts the next worker; an alarm does so by itself within half a minute.
  await settings.reload();
  expect((await client.call('runs_list')).structuredContent).toEqual({ runs: [] });

  const { stdout } = await fronts.run('status', '--json');
  process.kill((JSON.parse(stdout) as { pid: number }).pid, 'SIGKILL');
  await expect
    .poll(async () => (await client.call('runs_list')).structuredContent, { timeout: 30_000 })
    .toEqual({ runs: [] });
  expect(await fronts.run('browsers')).toMatchObject({ status: 0, stdout: expect.stringContaining('Work') });

  // A draft waits for a person, switched off.
  const source = WORKFLOW.replace('id: add-up', 'id: proposed');
  expect((await client.call('workflow_draft', { source })).structuredContent).toMatchObject({ workflowId: 'proposed' });
  expect((await client.tools()).map(({ name }) => name)).not.toContain('run_proposed');
  // It may be bettered, but what the person has is not touched.
  expect((await client.call('workflow_draft', { source: `${source}# better\n` })).isError).toBeFalsy();
  expect(await client.call('workflow_draft', { source: WORKFLOW })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('another id') }],
  });
  expect((await client.tools()).map(({ name }) => name)).toContain('run_add-up');

  await settings.reload();
  settings.on('dialog', (dialog) => void dialog.accept());
  await settings.getByTestId('bridge-unpair').click();
  await expect(settings.getByTestId('bridge-code')).toBeVisible();
  expect(await client.call('runs_list')).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('Pair a browser first') }],
  });
});

test('a client that goes away leaves nothing behind', async ({ extension }) => {
  await pair(extension);
  const clients = await Promise.all([1, 2, 3].map((n) => fronts.client(n % 2 ? 'legacy' : 'modern', `Client ${n}`)));
  for (const client of clients) expect((await client.call('runs_list')).structuredContent).toEqual({ runs: [] });
  const status = async () => JSON.parse((await fronts.run('status', '--json')).stdout) as { fronts: number };
  // One of the fronts is the one that asks.
  expect((await status()).fronts).toBe(4);
  process.kill(clients[0]?.pid ?? 0, 'SIGKILL');
  await clients[1]?.close();
  await clients[2]?.close();
  await expect.poll(async () => (await status()).fronts).toBe(1);
});
