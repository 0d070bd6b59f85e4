import { systemClock, systemRandom } from '../../src/adapters/clock.ts';
import { Engine } from '../../src/engine/engine.ts';
import { hashJson } from '../../src/model/canonical.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { RunRow } from '../../src/model/run.ts';
import type { Revision, WorkflowDefinition } from '../../src/model/workflow.ts';
import { z } from '../../src/model/zod.ts';
import type { Store } from '../../src/ports/store.ts';
import { registry } from '../../src/steps/index.ts';

/** The body of a step: takes the step's `value`, and gives its output. */
export type Body = (value: unknown) => Promise<Json>;

/** What every benchmark of workflow engines has its steps do: next to nothing, so that the engine is what is measured. */
export const nextNumber: Body = async (value) => ({ v: Number(value) + 1, tag: 'ok' });

const nothing = (): never => {
  throw new Error('The benchmark asks neither a model nor a page.');
};

/** An engine on a store, with one more step type, `body`: outside work, so that its intent is committed before and its result after. */
export class Workbench {
  readonly store: Store;
  readonly engine: Engine;
  readonly #atRest = new Map<string, RunRow>();
  readonly #waiters = new Map<string, (run: RunRow) => void>();

  constructor(store: Store, body: Body = nextNumber) {
    this.store = store;
    this.engine = new Engine({
      store,
      clock: systemClock,
      random: systemRandom,
      registry: new Map([
        ...registry,
        [
          'body',
          {
            type: 'body',
            title: 'Body',
            summary: 'The step of the benchmark.',
            keys: { value: z.unknown() },
            effect: () => 'read',
            works: true,
            templated: ['value'],
            run: async ({ fields }) => ({ output: await body(fields.value) }),
          },
        ],
      ]),
      ports: {
        model: { generate: nothing, configured: async () => false, price: () => undefined },
        pages: { perform: nothing, lease() {}, release() {} },
      },
      onFault: (message) => {
        throw new Error(message);
      },
      // Asking again and again whether all is quiet would be most of what is measured.
      onCommit: ({ run }) => {
        if (run.status === 'running' || run.status === 'queued') return;
        this.#atRest.set(run.runId, run);
        this.#waiters.get(run.runId)?.(run);
      },
    });
  }

  /** Saves a workflow of these steps. */
  async save(id: string, steps: JsonObject[]): Promise<Revision> {
    const definition = { format: 'tabloom/v1', id, name: id, sites: [], timeout: '1h', steps };
    const workflow = definition as unknown as WorkflowDefinition;
    const revision = { workflowId: id, revision: hashJson(definition as Json), definition: workflow, createdAt: 0 };
    const row = { workflowId: id, name: id, revision: revision.revision, enabled: true, createdAt: 0, updatedAt: 0 };
    await this.store.saveWorkflow(row, revision);
    return revision;
  }

  /** Starts a run, and waits until it has ended or waits. @throws Error when it was refused */
  async run(revision: Revision): Promise<RunRow> {
    const started = await this.engine.start({ revision, input: {}, trigger: {} });
    if (!started.ok) throw new Error(started.message);
    return this.rest(started.runId);
  }

  /** Resolves when a run has ended or waits, as of a commit that was not asked for before. */
  async rest(runId: string): Promise<RunRow> {
    const now = this.#atRest.get(runId) ?? (await new Promise<RunRow>((resolve) => this.#waiters.set(runId, resolve)));
    this.#waiters.delete(runId);
    this.#atRest.delete(runId);
    return now;
  }

  /** Says yes to the gate of a run, and waits until it has ended or waits again. @throws Error when it is refused */
  async approve(runId: string): Promise<RunRow> {
    this.#atRest.delete(runId);
    const [pending] = await this.store.approvals({ runId, status: 'pending' });
    if (!pending) throw new Error(`Nothing waits in ${runId}.`);
    const result = await this.engine.send({
      commandId: `yes/${runId}`,
      at: Date.now(),
      by: 'bench',
      roles: ['owner'],
      command: { type: 'decide', runId, path: pending.path, hash: pending.hash, decision: 'approved' },
    });
    if (!result.ok) throw new Error(result.message);
    return this.rest(runId);
  }

  async close(): Promise<void> {
    this.engine.dispose();
    await this.store.close();
  }
}

const many = (count: number, make: (n: number) => JsonObject): JsonObject[] =>
  Array.from({ length: count }, (_, n) => make(n));
const body = (id: string, value: Json, more: JsonObject = {}): JsonObject => ({ id, type: 'body', value, ...more });

/** Each step reads the one before. */
export const chain = (n: number): JsonObject[] => many(n, (i) => body(`s${i}`, i === 0 ? 0 : `{{step.s${i - 1}.v}}`));

/** All at once, and one after them all. */
export const fan = (n: number): JsonObject[] => [
  ...many(n, (i) => body(`s${i}`, i, { dependsOn: [] })),
  body('join', '{{step.s0.v}}', { dependsOn: Array.from({ length: n }, (_, i) => `s${i}`) }),
];

export const loop = (n: number): JsonObject[] => [
  {
    id: 'each',
    type: 'loop',
    over: Array.from({ length: n }, (_, i) => i),
    maxItems: n,
    steps: [body('do', '{{loop_item}}')],
  },
];

/** Steps with what each depends on. */
export const graph = (dependencies: Record<string, string[]>): JsonObject[] =>
  Object.entries(dependencies).map(([id, before]) => body(id, 1, { dependsOn: before }));

/** Steps that compute: nothing outside, so that deciding and journaling are all there is. */
export const computing = (n: number): JsonObject[] =>
  many(n, (i) => ({ id: `s${i}`, type: 'deterministic_command', operation: 'identity', arguments: { value: i } }));

/** A step, a question, and a step that reads what came before it. */
export const gated: JsonObject[] = [
  body('prep', 1),
  { id: 'gate', type: 'approval', title: 'Go on?', show: '{{step.prep.v}}' },
  body('post', '{{step.prep.v}}'),
];
