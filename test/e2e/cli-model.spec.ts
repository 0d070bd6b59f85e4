import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { type Called, callTabloom, resultLine } from '../cli/tabloom.ts';
import { faults, type LlmReply, type LlmServer, startLlmServer } from '../support/llm-server.ts';

/** What `tabloom run` says, and ends with, when the model's server fails. */

test.setTimeout(240_000);

let llm: LlmServer;
let folder: string;
let running: Called | undefined;

test.beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tabloom-cli-model-'));
  llm = await startLlmServer();
});
test.afterEach(async () => {
  running?.end('SIGKILL');
  await llm.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const RETRY = { maxAttempts: 2, delay: '100ms' };
const SCHEMA = { type: 'object', required: ['score'], properties: { score: { type: 'number' } } };
const step = (id: string, more: object = {}) => ({
  ...{ id, type: 'recipe', prompt: `This is ${id}.`, dependsOn: [], outputSchema: SCHEMA, retry: RETRY, ...more },
});

/** Runs a workflow of these steps; of several, all that can go on goes on. */
function run(steps: object[], ...args: string[]) {
  const file = join(folder, 'flow.json');
  const workflow = {
    format: 'tabloom/v1',
    id: 'flow',
    name: 'Flow',
    onFailure: steps.length > 1 ? 'finish' : 'stop',
    steps,
  };
  writeFileSync(file, JSON.stringify(workflow));
  running = callTabloom(['run', file, '--headless', ...args], {
    cwd: folder,
    env: { MODEL_KEY: 'sk-test-0123456789' },
  });
  return running.ended;
}
const model = () => ['--model', 'test-model', '--base-url', `${llm.url}/v1`, '--api-key-env', 'MODEL_KEY'];

test('no model: refused with 2 before anything runs, and says which option names one', async () => {
  const ended = await run([step('ask')], '--json');
  expect(ended.status, ended.stderr).toBe(2);
  expect(resultLine(ended)).toMatchObject({ status: 'refused', error: { code: 'model_not_configured' } });
  expect(ended.stderr).toContain('No model is ready');
  expect(ended.stderr).toContain('Name a model with --model');
  expect(llm.requests).toHaveLength(0);
});

test('nobody listens at the address: ends with 1, and standard error holds the one sentence that says what to do', async () => {
  await llm.stop();
  const ended = await run([step('ask')], ...model());
  expect(ended.status, ended.stdout + ended.stderr).toBe(1);
  expect(ended.stderr.trim()).toBe(
    `Failed at ask with network: No answer from ${llm.url}/v1: start the local model server, and allow the extension in its CORS setting (Ollama: OLLAMA_ORIGINS).`,
  );
  await llm.restart();
});

test('every other fault, each at a step of its own: ends with 3, and each step says its code and what to do', async () => {
  const table: { id: string; reply: LlmReply; code: string; advice: RegExp; asks: number; more?: object }[] = [
    {
      id: 'limited',
      reply: faults.rateLimitedSeconds(1),
      code: 'rate_limited',
      advice: /wait a moment, or raise its limit/,
      asks: 2,
    },
    { id: 'broken', reply: faults.serverError(500), code: 'provider_unavailable', advice: /try again later/, asks: 2 },
    {
      id: 'overloaded',
      reply: faults.serverError(503),
      code: 'provider_unavailable',
      advice: /try again later/,
      asks: 2,
    },
    {
      id: 'refused',
      reply: faults.badKey(),
      code: 'auth_failed',
      advice: /put a valid key .* into Settings, Models/,
      asks: 1,
    },
    { id: 'prose', reply: faults.prose(), code: 'output_invalid', advice: /ask in the prompt for JSON only/, asks: 2 },
    { id: 'empty', reply: faults.empty(), code: 'output_invalid', advice: /make the prompt clearer/, asks: 2 },
    {
      id: 'cut',
      reply: { text: '{"score": 1}', cutAfter: 2 },
      code: 'network',
      advice: /check the connection/,
      asks: 2,
    },
    {
      id: 'page',
      reply: { raw: '<html></html>', contentType: 'text/html' },
      code: 'provider_unavailable',
      advice: /is the address of its API/,
      asks: 2,
    },
    {
      id: 'late',
      reply: { text: '{"score": 1}', holdMs: 40_000 },
      code: 'timeout',
      advice: /raise its timeout/,
      asks: 2,
      more: { timeout: '1s' },
    },
  ];
  const asked = new Map<string, number>();
  llm.choose(({ body }) => {
    const id = /This is (\w+)\./.exec(JSON.stringify(body.messages))?.[1] ?? '';
    asked.set(id, (asked.get(id) ?? 0) + 1);
    return table.find((one) => one.id === id)?.reply ?? { text: '{"score": 1}' };
  });
  const ended = await run([...table.map(({ id, more }) => step(id, more)), step('well')], ...model(), '--json');
  expect(ended.status, ended.stderr).toBe(3);
  const result = resultLine(ended);
  expect(result).toMatchObject({ status: 'partial', steps: { well: { status: 'completed', output: { score: 1 } } } });
  const tree = ended.stderr.slice(ended.stderr.indexOf('Flow: partial'));
  for (const { id, code, advice, asks } of table) {
    expect(asked.get(id), `requests of ${id}`).toBe(asks);
    expect(result.steps[id], id).toMatchObject({ status: 'failed', attempts: asks, error: { code } });
    const line = tree.split('\n').find((text) => new RegExp(`[├└]─ ✗ ${id} `).test(text)) ?? '';
    expect(line, `${id}:\n${tree}`).toContain(`${code}: `);
    expect(line).toMatch(advice);
  }
  expect(ended.stderr + ended.stdout).not.toContain('sk-test-0123456789');
});
