import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { SubmittedReview } from '../../src/examples/site/server.ts';
import { STAND_IN_MODEL, startStandIn } from '../../src/examples/stand-in/server.ts';
import { type Called, callCommand, type Ended, resultLine, withoutBanner } from '../cli/tabloom.ts';
import { readmeCommand } from '../readme-commands.ts';

/** Lines of the sample report that break its policy: price of a night, price, no receipt, weekend, claimed twice. */
const SUSPICIOUS = ['2042', '2044', '2045', '2046', '2050'];

let running: Called | undefined;
test.afterEach(() => running?.end('SIGKILL'));

/** To the letter as a person types it: through npm and the bootstrap. */
async function callDemo(command: string[]): Promise<Ended> {
  running = callCommand(command);
  return withoutBanner(await running.ended);
}

test('the demo asks in the real popup and then sends each approved message exactly once', async () => {
  test.setTimeout(180_000);
  const out = mkdtempSync(join(tmpdir(), 'tabloom-demo-'));
  try {
    const ended = await callDemo([...readmeCommand('npm start'), '--', '--headless', '--json', '--out', out]);
    expect(ended.status, ended.stderr).toBe(0);
    expect(ended.stderr).toContain('NOT a language model');
    expect(ended.stderr).toMatch(/^Next: /m);

    const result = resultLine(ended);
    expect(result).toMatchObject({
      status: 'completed',
      error: null,
      output: { checked: 12, suspicious: 5, asked: SUSPICIOUS },
    });
    expect(result.steps.gate).toMatchObject({ status: 'completed', output: { decision: 'approved' } });
    expect(result.usage.inputTokens).toBeGreaterThan(0);

    // The other side's own log, which knows nothing of runs: what was approved came, once, to the letter, and nothing else.
    const log = JSON.parse(readFileSync(join(out, 'server-log.json'), 'utf8')) as SubmittedReview[];
    const gate = result.steps.gate?.output as unknown as { value: { lines: { id: string; message: string }[] } };
    const approved = gate.value.lines;
    expect(approved.map(({ id }) => id)).toEqual(SUSPICIOUS);
    expect(log.map(({ id, accepted, submitted }) => ({ id, accepted, submitted }))).toEqual(
      approved.map(({ id, message }) => ({
        id,
        accepted: true,
        submitted: { decision: 'ask_details', message, followUp: true },
      })),
    );

    expect(readdirSync(out)).toEqual(
      expect.arrayContaining([
        'approval-gate-before.png',
        'approval-gate-decision.png',
        'approval-gate-after.png',
        'expense-review.csv',
        'last-page.png',
      ]),
    );
    for (const name of ['approval-gate-before.png', 'approval-gate-after.png', 'last-page.png']) {
      expect(readFileSync(join(out, name)).subarray(1, 4).toString()).toBe('PNG');
    }
    const csv = readFileSync(join(out, 'expense-review.csv'), 'utf8');
    expect(csv.charCodeAt(0)).toBe(0xfeff);
    const rows = csv.slice(1).trim().split(/\r?\n/);
    expect(rows).toHaveLength(13);
    expect(rows.filter((row) => row.endsWith(',yes')).map((row) => row.slice(0, 4))).toEqual(SUSPICIOUS);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
});

test('the demo with a model of the person: it is asked by its name, without any key, and the stand-in is not', async () => {
  test.setTimeout(180_000);
  const out = mkdtempSync(join(tmpdir(), 'tabloom-demo-'));
  const rules = await startStandIn({ log: () => undefined });
  const asked: { model: unknown; key: string | undefined }[] = [];
  // The person's server: the stand-in's rules under the name of the model that the README shows.
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const headers = { 'content-type': 'application/json' };
    let body: string | undefined;
    if (text !== '') {
      const { model, ...rest } = JSON.parse(text) as { model: unknown };
      asked.push({ model, key: request.headers.authorization });
      body = JSON.stringify({ ...rest, model: STAND_IN_MODEL });
    }
    const answer = await fetch(new URL(request.url ?? '/', rules.url), { method: request.method, headers, body });
    const type = answer.headers.get('content-type') ?? headers['content-type'];
    response
      .writeHead(answer.status, { 'content-type': type, 'access-control-allow-origin': '*' })
      .end(await answer.text());
  });
  await new Promise<void>((done) => server.listen(0, 'localhost', done));
  try {
    const command = readmeCommand('npm start -- --model llama3.2 --base-url http://localhost:11434/v1', {
      'http://localhost:11434/v1': `http://localhost:${(server.address() as AddressInfo).port}/v1`,
    });
    const ended = await callDemo([...command, '--headless', '--json', '--out', out]);
    expect(ended.status, ended.stderr).toBe(0);
    expect(ended.stderr).not.toContain('NOT a language model');
    expect(resultLine(ended)).toMatchObject({ status: 'completed', output: { asked: SUSPICIOUS } });
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter(({ model, key }) => model !== 'llama3.2' || (key ?? 'Bearer none') !== 'Bearer none')).toEqual(
      [],
    );
  } finally {
    server.closeAllConnections();
    server.close();
    await rules.close();
    rmSync(out, { recursive: true, force: true });
  }
});
