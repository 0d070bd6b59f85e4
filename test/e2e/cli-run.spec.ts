import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { type Called, callCommand, callTabloom, resultLine } from '../cli/tabloom.ts';
import { firstWorkflow, readmeCommand } from '../readme-commands.ts';

test.setTimeout(180_000);

let server: Server;
let origin: string;
let folder: string;

test.beforeAll(async () => {
  server = createServer((_request, response) => {
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      .end('<!doctype html><title>Orders</title><h1>Orders of today</h1><p data-testid="count">7</p>');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
test.afterAll(() => {
  server.closeAllConnections();
  server.close();
});
test.beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tabloom-cli-run-'));
});
test.afterEach(() => {
  // The browser ends with the command that holds its pipes.
  running?.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Writes a workflow over the local page with these steps and gives its file. */
function workflow(steps: string, output = '{ done: true }'): string {
  const file = join(folder, 'flow.yaml');
  writeFileSync(
    file,
    `format: tabloom/v1
id: orders
name: Orders
inputs: { type: object, properties: { target: { type: string } } }
sites: ["${origin}/*"]
steps:
${steps}
output: ${output}
`,
  );
  return file;
}

const OPEN = `  - { id: open, type: browser_action, action: navigate, arguments: { url: "{{workflow_input.target}}" } }\n`;
const READ = `  - { id: read, type: browser_action, action: extract, arguments: { target: { testId: count }, as: text } }\n`;
const GATE = '  - { id: gate, type: approval, title: "Go on?", show: { orders: 7 } }\n';

let running: Called | undefined;
const run = (...args: string[]) => {
  running = callTabloom(['run', '--headless', '--json', ...args], { cwd: folder });
  return running;
};
const input = () => ['--input', JSON.stringify({ target: `${origin}/` })];
const resumeOf = (stderr: string) => /npx tabloom run --resume (\S+) --profile (\S+?)[ .]/.exec(stderr)?.slice(1) ?? [];

test('a workflow over a granted page completes with 0 and its output on the one line of standard output', async () => {
  const ended = await run(workflow(OPEN + READ, '{ orders: "{{step.read.text}}" }'), ...input(), '--grant', origin)
    .ended;
  expect(ended.status, ended.stderr).toBe(0);
  const result = resultLine(ended);
  expect(result).toMatchObject({ status: 'completed', output: { orders: '7' }, error: null });
  expect(Object.keys(result.steps)).toEqual(['open', 'read']);
  expect(result.steps.open).toMatchObject({ status: 'completed', attempts: 1, output: { title: 'Orders' } });
  // What it wants is said before it is started, and its last page is kept in a folder of its own.
  expect(ended.stderr).toContain('browser_action: extract');
  const [out] = readdirSync(join(folder, 'tabloom-out'));
  expect(readdirSync(join(folder, 'tabloom-out', out as string))).toContain('last-page.png');
});

test('a site that was not granted is refused with 2 before anything runs, and says how to grant it', async () => {
  const ended = await run(workflow(OPEN + READ), ...input()).ended;
  expect(ended.status, ended.stderr).toBe(2);
  expect(resultLine(ended)).toMatchObject({
    runId: null,
    status: 'refused',
    error: { code: 'site_not_granted' },
    steps: {},
  });
  expect(ended.stderr).toContain('--grant');
});

test('a file with errors and an input that does not fit are refused with 2 without a browser', async () => {
  const broken = await run(workflow(READ.replace('extract', 'no_such_action'))).ended;
  expect(broken.status, broken.stderr).toBe(2);
  expect(broken.stderr).toMatch(/flow\.yaml:7:\d+ \w+ /);
  const misfit = await run(workflow(READ), '--input', '{"target": 5}').ended;
  expect(misfit.status, misfit.stderr).toBe(2);
  expect(resultLine(misfit).error?.code).toBe('input_invalid');
});

test('a step that fails ends with 1 and names the step and the code', async () => {
  const failing = READ.replace('testId: count', 'testId: nothing').replace(
    ' }\n',
    ', retry: { maxAttempts: 1 }, timeout: 2s }\n',
  );
  const ended = await run(workflow(OPEN + failing), ...input(), '--grant', origin).ended;
  expect(ended.status, ended.stderr).toBe(1);
  const result = resultLine(ended);
  expect(result.status).toBe('failed');
  expect(result.error?.step).toBe('read');
  expect(result.steps.read).toMatchObject({ status: 'failed', attempts: 1, error: { code: result.error?.code } });
  expect(['element_not_found', 'timeout']).toContain(result.error?.code);
});

test('an approval that nobody can give leaves the run waiting with 4; it is gone on with by its id, and approved in the popup', async () => {
  const ended = await run(workflow(GATE, '{ by: "{{step.gate.decision}}" }'), '--grant', origin).ended;
  expect(ended.status, ended.stderr).toBe(4);
  const result = resultLine(ended);
  expect(result).toMatchObject({ status: 'waiting', steps: { gate: { status: 'waiting' } } });
  expect(ended.stderr).toContain('waits for the approval "Go on?"');
  const [runId, profile] = resumeOf(ended.stderr);
  expect(runId).toBe(result.runId);

  try {
    const resumed = await run('--resume', runId as string, '--profile', profile as string, '--approve', '--out', 'out')
      .ended;
    expect(resumed.status, resumed.stderr).toBe(0);
    expect(resultLine(resumed)).toMatchObject({ runId, status: 'completed', output: { by: 'approved' } });
    expect(readdirSync(join(folder, 'out'))).toEqual(
      expect.arrayContaining(['approval-gate-before.png', 'approval-gate-after.png']),
    );
  } finally {
    rmSync(profile as string, { recursive: true, force: true, maxRetries: 5 });
  }
});

test("the README's first workflow runs by the README's command, once its site is the local one", async () => {
  const file = join(folder, 'first.yaml');
  writeFileSync(file, firstWorkflow().replaceAll('https://example.com', origin));
  const command = readmeCommand('npx tabloom run first.yaml --grant https://example.com', {
    'first.yaml': file,
    'https://example.com': origin,
  });
  running = callCommand([...command, '--headless', '--json', '--approve', '--out', join(folder, 'out')]);
  const ended = await running.ended;
  expect(ended.status, ended.stderr).toBe(0);
  expect(resultLine(ended).output).toEqual({ heading: 'Orders of today' });
  expect(readFileSync(join(folder, 'out', 'heading.txt'), 'utf8')).toBe('Orders of today');
});

test('Ctrl+C cancels the run and ends with 1', async () => {
  const call = run(workflow('  - { id: pause, type: wait, for: 1h }\n'), '--grant', origin);
  await expect.poll(() => call.stderr(), { timeout: 100_000 }).toMatch(/‖ pause/);
  call.process.kill('SIGINT');
  const ended = await call.ended;
  expect(ended.status, ended.stderr).toBe(1);
  expect(resultLine(ended)).toMatchObject({ status: 'cancelled' });
});
