import { expect, it } from 'vitest';
import { systemClock, systemRandom } from '../../src/adapters/clock.ts';
import { createMemoryStore } from '../../src/adapters/memory/index.ts';
import { Engine } from '../../src/engine/engine.ts';
import { hashJson } from '../../src/model/canonical.ts';
import type { Json } from '../../src/model/json.ts';
import type { WorkflowDefinition } from '../../src/model/workflow.ts';
import { registry } from '../../src/steps/index.ts';
import { startLlmServer } from '../support/llm-server.ts';
import { portFor, settingsFor } from '../support/providers.ts';

it('a reply that does not fit, on the real engine: one repair round as a second attempt, both are paid for', async () => {
  const server = await startLlmServer(
    { text: 'It looks fine to me.', usage: { input: 100, output: 10 } },
    { text: '{"score": 0.9}', usage: { input: 150, output: 5 } },
  );
  const definition: WorkflowDefinition = {
    format: 'tabloom/v1',
    id: 'repair',
    name: 'Repair',
    steps: [
      {
        id: 'grade',
        type: 'recipe',
        prompt: 'Grade {{input.line}} of {{workflow_input.report}}.',
        input: { line: 'lunch' },
        retry: { delay: 0 },
        outputSchema: { type: 'object', required: ['score'], properties: { score: { type: 'number' } } },
      },
    ],
    output: { score: '{{step.grade.score}}' },
  };
  const store = createMemoryStore();
  const engine = new Engine({
    store,
    clock: systemClock,
    random: systemRandom,
    registry,
    ports: {
      model: portFor(settingsFor('openai', server.url)),
      pages: { perform: () => Promise.reject(new Error('no page')), lease: () => undefined, release: () => undefined },
    },
  });
  try {
    const revision = {
      workflowId: 'repair',
      revision: hashJson(definition as unknown as Json),
      definition,
      createdAt: 0,
    };
    const started = await engine.start({ revision, input: { report: 'January' }, trigger: { type: 'manual' } });
    if (!started.ok) throw new Error(started.message);
    await expect.poll(async () => (await store.run(started.runId))?.status).toBe('completed');

    const run = await store.run(started.runId);
    expect(run?.output).toEqual({ score: 0.9 });
    expect(run?.usage).toMatchObject({ inputTokens: 250, outputTokens: 15 });
    const [step] = await store.steps(started.runId);
    expect(step?.attempts.map((one) => one.error?.code)).toEqual(['output_invalid', undefined]);
    expect(step?.attempts[0]).toMatchObject({ usage: { inputTokens: 100 }, meta: { reply: 'It looks fine to me.' } });
    const [first, second] = server.requests.map((one) => one.body.messages ?? []);
    expect(first?.at(-1)?.content).toBe('Grade lunch of January.');
    expect(second?.map((one) => one.role)).toEqual(['system', 'user', 'assistant', 'user']);
  } finally {
    engine.dispose();
    await server.close();
  }
});
