import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock, systemRandom } from '../../src/adapters/clock.ts';
import { createMemoryStore } from '../../src/adapters/memory/index.ts';
import { Engine } from '../../src/engine/engine.ts';
import { readWorkflow } from '../../src/engine/preflight/index.ts';
import { type SampleSite, startSampleSite } from '../../src/examples/site/server.ts';
import { STAND_IN_MODEL, type StandIn, startStandIn } from '../../src/examples/stand-in/server.ts';
import { hashJson } from '../../src/model/canonical.ts';
import type { Command } from '../../src/model/commands.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { FINAL_RUN, type RunStatus } from '../../src/model/run.ts';
import type { PagePort } from '../../src/ports/pages.ts';
import { registry } from '../../src/steps/index.ts';
import { portFor } from '../support/providers.ts';

// The whole example on the real engine, with the real model port, the stand-in and the sample site's server. Only the browser is not
// there: the site is used through its own API, one form at a time.

const FILE = new URL('../../src/examples/expense-review.yaml', import.meta.url);
const { definition, problems } = readWorkflow(readFileSync(FILE, 'utf8'), 'expense-review.yaml', registry);

let site: SampleSite;
let standIn: StandIn;
let engine: Engine;
let store: ReturnType<typeof createMemoryStore>;
beforeEach(async () => {
  site = await startSampleSite();
  standIn = await startStandIn({ log: () => undefined });
  store = createMemoryStore();
  const settings = {
    accounts: [{ id: 'local', provider: 'openai-compatible' as const, baseUrl: standIn.url, hasKey: false }],
    names: {},
    default: `local:${STAND_IN_MODEL}`,
  };
  const model = portFor(settings, { vault: { reveal: async () => undefined } });
  engine = new Engine({
    store,
    clock: systemClock,
    random: systemRandom,
    registry,
    ports: { model, pages: siteByApi() },
  });
});
afterEach(async () => {
  engine.dispose();
  await site.close();
  await standIn.close();
});

/** Does the example's browser actions by the site's API. */
function siteByApi(): PagePort {
  let address = '';
  let form: JsonObject = {};
  const acts: Record<string, (args: JsonObject) => Json | Promise<Json>> = {
    navigate: ({ url }) => {
      address = String(url);
      form = { decision: '', message: '', followUp: false };
      return { url: address, title: '' };
    },
    extract: async () => {
      const rows: JsonObject[] = [];
      for (const page of [1, 2]) {
        const body = (await (await fetch(`${site.url}/api/expenses?page=${page}`)).json()) as {
          lines: Record<string, string | number | boolean>[];
        };
        for (const line of body.lines) {
          rows.push({
            ID: line.id ?? null,
            Date: line.date ?? null,
            Employee: line.employee ?? null,
            Category: line.category ?? null,
            Description: line.description ?? null,
            Amount: `${line.amount} EUR`,
            Receipt: line.receipt ? 'yes' : 'no',
          });
        }
      }
      return { columns: Object.keys(rows[0] ?? {}), rows, pages: 2 };
    },
    select_option: () => {
      form.decision = 'ask_details';
      return { values: ['ask_details'] };
    },
    fill: ({ value }) => {
      form.message = value ?? '';
      return { value: form.message };
    },
    check: () => {
      form.followUp = true;
      return { checked: true };
    },
    click: async () => {
      const body = JSON.stringify(form);
      await fetch(`${address.replace('/expenses/', '/api/expenses/')}/review`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      return { matched: 0, url: address, openedTab: null, dialogs: [] };
    },
    wait_for: () => ({ waitedMs: 0 }),
  };
  return {
    perform: async (call) => {
      const act = acts[call.action];
      if (!act) throw new Error(`the example does not use ${call.action}`);
      return { output: await act(call.arguments), tabs: call.tabs };
    },
    lease: () => undefined,
    release: () => undefined,
  };
}

async function start(): Promise<string> {
  if (!definition) throw new Error('the example does not pass preflight');
  const revision = {
    workflowId: definition.id,
    revision: hashJson(definition as unknown as Json),
    definition,
    createdAt: 0,
  };
  const started = await engine.start({ revision, input: { url: `${site.url}/expenses` }, trigger: { type: 'manual' } });
  if (!started.ok) throw new Error(started.message);
  return started.runId;
}

const until = (runId: string, ...status: RunStatus[]) =>
  expect
    .poll(async () => (await store.run(runId))?.status, { timeout: 60_000 })
    .toSatisfy((now) => status.includes(now as RunStatus));

const gateOf = async (runId: string) => {
  const [gate] = await store.approvals({ runId, status: 'pending' });
  if (!gate) throw new Error('no approval is pending');
  return { gate, lines: (gate.show as { lines: JsonObject[] }).lines };
};

const send = (command: Command) =>
  engine.send({ commandId: systemRandom.id(), at: systemClock.now(), by: 'person', roles: ['owner'], command });

it('the file: passes preflight without a word', () => {
  expect(problems).toEqual([]);
});

it('approved with a line taken out and a message changed: exactly that is sent, each once', async () => {
  const runId = await start();
  await until(runId, 'waiting');
  const { gate, lines } = await gateOf(runId);
  expect(lines.map((line) => line.id)).toEqual(['2042', '2044', '2045', '2046', '2050']);
  expect(gate.covers).toHaveLength(20);
  expect(site.log()).toEqual([]);

  const [changed, ...rest] = lines.slice(1);
  const edits = { lines: [{ ...changed, message: 'Edited by me.' }, ...rest] };
  const answer = await send({ type: 'decide', runId, path: 'gate', hash: gate.hash, decision: 'approved', edits });
  expect(answer.ok).toBe(true);
  await until(runId, ...FINAL_RUN);

  const run = await store.run(runId);
  expect(run?.error).toBeUndefined();
  expect(run).toMatchObject({
    status: 'completed',
    output: { checked: 12, suspicious: 5, asked: ['2044', '2045', '2046', '2050'] },
  });
  expect(site.log().map(({ id, accepted }) => [id, accepted])).toEqual(
    ['2044', '2045', '2046', '2050'].map((id) => [id, true]),
  );
  expect(site.log()[0]?.submitted).toEqual({ decision: 'ask_details', message: 'Edited by me.', followUp: true });
  expect(standIn.requests).toHaveLength(12);
  const [report] = await store.artifacts(runId);
  expect(report).toMatchObject({ name: 'expense-review.csv', mediaType: 'text/csv' });
});

it('rejected: nothing is sent and the run fails with approval_rejected', async () => {
  const runId = await start();
  await until(runId, 'waiting');
  const { gate } = await gateOf(runId);
  await send({ type: 'decide', runId, path: 'gate', hash: gate.hash, decision: 'rejected' });
  await until(runId, ...FINAL_RUN);
  expect(await store.run(runId)).toMatchObject({ status: 'failed', error: { code: 'approval_rejected' } });
  expect(site.log()).toEqual([]);
});

it('no line breaks the policy: nobody is asked, and the report is kept all the same', async () => {
  for (const id of ['2042', '2044']) site.mutate(id, { amount: 10 });
  site.mutate('2045', { receipt: true });
  site.mutate('2046', { date: '2026-01-16' });
  site.mutate('2050', { date: '2026-01-21' });
  const runId = await start();
  await until(runId, ...FINAL_RUN);
  expect(await store.run(runId)).toMatchObject({
    status: 'completed',
    output: { checked: 12, suspicious: 0, asked: [] },
  });
  expect(await store.approvals({ runId })).toEqual([]);
  expect(await store.artifacts(runId)).toHaveLength(1);
});
