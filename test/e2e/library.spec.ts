import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RunDetail } from '../../src/app/protocol.ts';
import { type SampleSite, startSampleSite } from '../../src/examples/site/server.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { ModelSettings } from '../../src/model/model-settings.ts';
import { type LlmReply, type LlmRequest, type LlmServer, startLlmServer } from '../support/llm-server.ts';
import { expect, type Product, see, test } from '../support/product.ts';

/** The examples of the library, two recipes and an agent, in the built extension, against a server that speaks a provider's wire format. */

test.setTimeout(240_000);

const EXAMPLES = resolve(import.meta.dirname, '../../src/examples');
const read = (file: string) => readFileSync(resolve(EXAMPLES, file), 'utf8');
const MESSAGE = 'Hello Jonas, what is the camera for? Thank you.';

let site: SampleSite;
let model: LlmServer;

test.beforeEach(async () => {
  site = await startSampleSite();
  model = await startLlmServer();
  model.allowOrigins();
});

test.afterEach(async () => {
  await site.close();
  await model.close();
});

/** Text of all that a request says. */
function textOf({ body }: LlmRequest): string {
  return JSON.stringify(body.messages ?? []);
}

/** Results of tools that a request tells the model. */
function toldTools({ body }: LlmRequest): string[] {
  return (body.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => String(content));
}

/** The turns of the clerk, by how many results it has been told so far. */
function clerkTurn(request: LlmRequest): LlmReply {
  const told = toldTools(request);
  const snapshot = told[0] ?? '';
  const ref = (line: RegExp): string => line.exec(snapshot.replaceAll('\\"', '"'))?.[1] ?? 'none';
  const call = (name: string, args: JsonObject) => ({ id: `${name}-${told.length}`, name, arguments: args });
  switch (told.length) {
    case 0:
      return { text: '', toolCalls: [call('browser_snapshot', {})] };
    case 1:
      return {
        text: 'I fill in the form.',
        toolCalls: [
          call('browser_select_option', {
            target: { ref: ref(/combobox "Decision"[^\n]*?\[ref=(e\d+)\]/) },
            label: 'Ask for details',
          }),
          call('browser_fill', {
            target: { ref: ref(/textbox "Message to employee"[^\n]*?\[ref=(e\d+)\]/) },
            value: MESSAGE,
          }),
        ],
      };
    case 3:
      return {
        text: '',
        toolCalls: [call('browser_click', { target: { ref: ref(/button "Send request"[^\n]*?\[ref=(e\d+)\]/) } })],
      };
    default:
      return { text: JSON.stringify({ sent: true }) };
  }
}

/** Whose request it is, and the answer. */
function answer(request: LlmRequest): { who: string; reply: LlmReply } {
  const text = textOf(request);
  if (text.includes('Write one plain sentence'))
    return { who: 'note', reply: { text: JSON.stringify({ note: 'Jonas was asked about a camera.' }) } };
  if (text.includes('You work in the review form'))
    return { who: `clerk after ${toldTools(request).length}`, reply: clerkTurn(request) };
  const found = { suspicious: true, reason: 'Equipment may cost up to 500 EUR.', message: MESSAGE };
  return { who: 'check', reply: { text: JSON.stringify(found) } };
}

/** The local server is the model that is used. */
async function useModel(product: Product, prices: ModelSettings['prices'] = {}): Promise<void> {
  await product.ask('models.set', {
    settings: {
      accounts: [{ id: 'local', provider: 'openai-compatible', baseUrl: `${model.url}/v1`, hasKey: false }],
      names: {},
      default: 'local:any',
      prices,
    },
  });
}

async function begin(product: Product): Promise<string> {
  await product.grant(site.url, 'http://localhost');
  await product.launch();
  await useModel(product);
  for (const file of ['check-expense.recipe', 'expense-note.recipe', 'expense-clerk.agent']) {
    const saved = await product.ask('entry.save', { source: read(`library/${file}.yaml`) });
    if ('refused' in saved) throw new Error(JSON.stringify(saved.refused));
  }
  return product.start(read('expense-clerk.yaml'), { url: `${site.url}/expenses/2044` });
}

test('two recipes and an agent of the library, the worker killed in each turn and while it waits: nothing is asked or done more than it must', async ({
  product,
}) => {
  const asked = new Map<string, number>();
  let arrived: (who: string) => void = () => undefined;
  const never: Promise<unknown>[] = [];
  const letGo: (() => void)[] = [];
  model.choose((request) => {
    const { who, reply } = answer(request);
    const times = (asked.get(who) ?? 0) + 1;
    asked.set(who, times);
    if (times > 1) return reply;
    // The first time nobody is told: the worker dies first.
    const hold = new Promise<void>((done) => letGo.push(done));
    never.push(hold);
    arrived(who);
    return { ...reply, hold };
  });
  const turns = ['check', 'clerk after 0', 'clerk after 1', 'clerk after 3', 'clerk after 4', 'note'];
  const begun = new Map<string, Promise<void>>();
  const tell = new Map<string, () => void>();
  for (const turn of turns) begun.set(turn, new Promise((done) => tell.set(turn, done)));
  arrived = (who) => tell.get(who)?.();

  const runId = await begin(product);
  for (const turn of turns) {
    if (turn === 'clerk after 4') {
      const approval = await product.pending(runId);
      expect(approval).toMatchObject({ path: 'clerk[6]/browser_click', status: 'pending' });
      expect(site.log()).toEqual([]);
      await product.stopWorker();
      await product.decide(await product.pending(runId), 'approve');
    }
    await begun.get(turn);
    await product.stopWorker();
  }
  const { run, steps } = await product.ended(runId);
  for (const done of letGo) done();
  expect(run.error).toBeUndefined();
  expect(run).toMatchObject({
    status: 'completed',
    output: { suspicious: true, asked: true, note: 'Jonas was asked about a camera.' },
  });
  // Each question was asked twice: once by a worker that died, once by the next one.
  expect([...asked]).toEqual(turns.map((turn) => [turn, 2]));
  expect(site.log()).toMatchObject([
    { id: '2044', accepted: true, submitted: { decision: 'ask_details', message: MESSAGE } },
  ]);
  const calls = steps.filter(({ path }) => path.startsWith('clerk[')).map(({ path, attempt }) => [path, attempt]);
  expect(calls).toEqual([
    ['clerk[0]/model', 2],
    ['clerk[1]/browser_snapshot', 1],
    ['clerk[2]/model', 2],
    ['clerk[3]/browser_select_option', 1],
    ['clerk[4]/browser_fill', 1],
    ['clerk[5]/model', 2],
    ['clerk[6]/browser_click', 1],
    ['clerk[7]/model', 2],
  ]);
  // What the page says stands in data blocks, and exactly what was sent is kept.
  const note = model.requests.find((request) => textOf(request).includes('Write one plain sentence')) as LlmRequest;
  expect(textOf(note)).toMatch(/<data[^>]*>/);
  const { meta } = steps.find(({ path }) => path === 'note')?.attempts.at(-1) ?? {};
  const { prompt } = meta as { prompt: string };
  expect(note.body.messages?.map(({ content }) => content)).toContain(prompt);
});

test('a monthly limit, in the built extension: the next call waits, also for another worker; raised in the popup it goes on', async ({
  product,
}) => {
  model.script({ text: 'One.', usage: { input: 399_990, output: 10 } }, { text: 'Two.' });
  await product.launch();
  await useModel(product, { 'local:any': { input: 1, output: 1 } });
  await product.ask('spending.set', { usd: 0.4 });
  const source = (id: string) =>
    `format: tabloom/v1\nid: ${id}\nname: ${id}\nsteps: [{ id: ask, type: recipe, prompt: Say a number., maxTokens: 100 }]\n`;
  expect((await product.ended(await product.start(source('first')))).run.usage.usd).toBeCloseTo(0.4, 3);
  const second = await product.start(source('second'));
  const waits = ({ steps }: RunDetail) => steps.find(({ wait }) => wait?.kind === 'budget');
  expect(await product.look(second, 'the wait', waits)).toMatchObject({
    wait: { subject: expect.stringMatching(/^month:\d{4}-\d{2}$/) },
  });
  await product.stopWorker();
  await product.look(second, 'the wait', waits);
  expect((await product.ask('spending.get', {})).months[0]).toMatchObject({
    calls: 1,
    workflows: [{ workflowId: 'first' }],
  });
  await product.inPopup(async (popup) => {
    await see(popup, '[data-testid="budget-usd"]');
    await popup.click('[data-testid="budget-usd"]');
    await popup.session.send('Input.insertText', { text: '2' });
    await see(popup, '[data-testid="raise-budget"]:not([aria-disabled="true"])');
    await popup.click('[data-testid="raise-budget"]');
    expect((await product.ended(second)).run.status).toBe('completed');
  });
  expect(model.requests).toHaveLength(2);
  expect(await product.ask('spending.get', {})).toMatchObject({ usd: 0.4, raised: 2, months: [{ calls: 2 }] });
});
