import { systemClock, systemRandom } from '../../src/adapters/clock.ts';
import { createDexieStore } from '../../src/adapters/dexie/index.ts';
import { Engine } from '../../src/engine/engine.ts';
import { hashJson } from '../../src/model/canonical.ts';
import type { Command, CommandResult } from '../../src/model/commands.ts';
import { verifyChain } from '../../src/model/events.ts';
import type { Json } from '../../src/model/json.ts';
import type { WorkflowDefinition } from '../../src/model/workflow.ts';
import type { PageCall } from '../../src/ports/pages.ts';
import { registry } from '../../src/steps/index.ts';

/** An engine in a page, on the profile's one IndexedDB. Its effects are requests to the server that served the page. */
const store = createDexieStore({ name: 'engines' });
const faults: string[] = [];

async function perform({ path, attempt, signal }: PageCall): Promise<Json> {
  const body = JSON.stringify({ path, attempt });
  const answer = await fetch('/effect', { method: 'POST', body, signal });
  return (await answer.json()) as Json;
}

const engine = new Engine({
  store,
  clock: systemClock,
  random: systemRandom,
  registry,
  ports: {
    model: {
      generate: () => Promise.reject(new Error('no model')),
      configured: async () => true,
      price: () => undefined,
    },
    pages: {
      perform: async (call) => ({ output: await perform(call), tabs: call.tabs }),
      lease: () => undefined,
      release: () => undefined,
    },
  },
  onFault: (message) => faults.push(message),
});

/** What the page offers to the browser test. */
export const enginePage = {
  /** Begins a run of a definition. @returns its id */
  async start(definition: WorkflowDefinition): Promise<string> {
    const revision = {
      workflowId: definition.id,
      revision: hashJson(definition as unknown as Json),
      definition,
      createdAt: 1,
    };
    const { workflowId, createdAt } = revision;
    await store.saveWorkflow(
      { workflowId, name: workflowId, revision: revision.revision, enabled: true, createdAt, updatedAt: 1 },
      revision,
    );
    const result = await engine.start({ revision, input: {}, trigger: { type: 'manual' } });
    if (!result.ok) throw new Error(result.message);
    return result.runId;
  },
  recover: () => engine.recover(),
  send: (command: Command, by: string): Promise<CommandResult> =>
    engine.send({ commandId: crypto.randomUUID(), at: Date.now(), by, roles: ['owner'], command }),
  look: async (runId: string) => ({
    run: await store.run(runId),
    steps: await store.steps(runId),
    approvals: await store.approvals({ runId }),
    fault: verifyChain(await store.events(runId)),
    inFlight: engine.inFlight,
    active: engine.active.map(({ status }) => status),
    faults,
  }),
};
