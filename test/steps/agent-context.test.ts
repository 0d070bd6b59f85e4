import { expect, it } from 'vitest';
import type { ModelRequest } from '../../src/ports/model.ts';
import { World, workflow } from '../support/engine.ts';

const AGENTS = { helper: { instructions: 'Help.', tools: ['text.split'] } };
const ASK = { toolCalls: [{ id: 'c1', tool: 'text_split', arguments: { text: 'a b', separator: ' ' } }] };

/** A run whose agent is given documents; the first answer waits until the documents have changed. */
async function talk(step: object, file: object = {}, content = 'No <data> beyond 50 EUR.') {
  const requests: ModelRequest[] = [];
  const world: World = new World({
    model: async (request) => {
      requests.push(structuredClone({ ...request, signal: undefined }) as unknown as ModelRequest);
      if (requests.length === 1) await write(world, 'policy', 'Anything goes.', 'two');
      const reply = { text: 'Done.', usage: { inputTokens: 1, outputTokens: 1 }, model: 'm', finish: 'stop' as const };
      return requests.length === 1 ? { ...reply, text: '', ...ASK } : reply;
    },
  });
  await write(world, 'policy', content, 'one');
  await write(world, 'style', 'Be short.', 'one');
  const act = { id: 'act', type: 'agent', agent: 'helper', goal: 'Look.', retry: { maxAttempts: 1 }, ...step };
  await world.start(workflow([act as never], { agents: AGENTS, timeout: '1h', ...file }));
  await world.runOut();
  return { requests, world };
}

const write = (world: World, documentId: string, content: string, revision: string) =>
  world.memory.addKnowledge({
    documentId,
    revision: `${documentId}-${revision}`,
    mode: 'replace',
    title: documentId,
    content,
    collections: ['all'],
    at: 1,
  });

it('documents of the file and of the step stand before the goal in every turn, as they were when the run started', async () => {
  const { requests, world } = await talk({ context: ['style'] }, { context: ['policy'] });
  expect((await world.run()).status).toBe('completed');
  expect(requests.length).toBe(2);
  for (const { messages } of requests) {
    const task = messages[0]?.role === 'user' ? messages[0].content : '';
    expect(task).toBe(
      '<data source="document policy: policy">\nNo &lt;data> beyond 50 EUR.\n</data>\n\n' +
        '<data source="document style: style">\nBe short.\n</data>\n\nLook.',
    );
  }
  const turn = (await world.steps()).find(({ path }) => path === 'act[0]/model');
  expect(turn?.attempts[0]?.meta).toMatchObject({
    material: [
      { source: 'document policy: policy', revision: 'policy-one' },
      { source: 'document style: style', revision: 'style-one' },
    ],
  });
});

it('a collection, and a name that a template gives', async () => {
  const { requests } = await talk({ context: ['#all'] });
  expect(JSON.stringify(requests[0]?.messages[0])).toMatch(/policy[\s\S]*style/);
  const named = await talk({ context: ['{{workflow_input.which}}'] }, { inputs: { type: 'object' } });
  expect(await named.world.run()).toMatchObject({ status: 'failed', error: { code: 'template_unresolved' } });
});

it('a document that is not there, or holds a secret, fails the agent and sends nothing', async () => {
  const { requests, world } = await talk({ context: ['nowhere'] });
  expect([requests.length, (await world.run()).error?.code]).toEqual([0, 'input_invalid']);
  const secret = await talk({ context: ['policy'] }, {}, `The key is ${['AK', 'IA', 'Q7ZXV2MK5SLT4RBW'].join('')}.`);
  expect([secret.requests.length, (await secret.world.run()).error?.code]).toEqual([0, 'secret_detected']);
});

it('what the documents take counts before the call that would break the budget', async () => {
  const budget = { tokens: 3000, onExceeded: 'fail' };
  const small = await talk({ context: ['style'] }, { budget });
  expect((await small.world.run()).status).toBe('completed');
  const large = await talk({ context: ['policy'] }, { budget }, 'word '.repeat(4000));
  expect([large.requests.length, (await large.world.run()).error?.code]).toEqual([0, 'budget_exceeded']);
});
