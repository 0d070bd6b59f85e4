import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { LinkCall } from '../../src/adapters/link/connect.ts';
import { createMemoryStore, createVirtualClock, seededRandom } from '../../src/adapters/memory/index.ts';
import type { App } from '../../src/app/app.ts';
import { answerCall } from '../../src/app/bridge/methods/index.ts';
import { ClientSessions } from '../../src/app/bridge/sessions.ts';
import { Updates } from '../../src/app/updates.ts';
import { Engine } from '../../src/engine/engine.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { PageCall, PageResult } from '../../src/ports/pages.ts';
import type { Commit } from '../../src/ports/store.ts';
import { engineRegistry } from '../../src/steps/index.ts';

/** What pages do is a function of the test; the engine, its store and the sessions are the real ones, and can be killed. */
export class Desk {
  readonly store = createMemoryStore();
  readonly clock = createVirtualClock(Date.parse('2026-01-01T00:00:00Z'));
  readonly updates = new Updates(this.clock);
  readonly acts: PageCall[] = [];
  /** What is a tool. */
  workflows: { workflowId: string; name: string; definition: JsonObject }[] = [];
  granted = ['https://shop.example/*'];
  outside: (call: PageCall) => Promise<Json> | Json = () => ({});
  /** Called after each commit. */
  committed: ((commit: Commit) => void) | undefined;
  engine!: Engine;
  sessions!: ClientSessions;
  readonly session = randomUUID();

  constructor() {
    this.wake();
  }

  /** A worker that has just started. */
  wake(): void {
    const sessions = (): ClientSessions => this.sessions;
    this.engine = new Engine({
      store: this.store,
      clock: this.clock,
      random: seededRandom(`desk ${this.acts.length}`),
      registry: engineRegistry,
      ports: {
        model: {
          generate: () => Promise.reject(new Error('no model')),
          configured: async () => false,
          price: () => undefined,
        },
        pages: {
          lease: () => undefined,
          release: () => undefined,
          perform: async (call): Promise<PageResult> => {
            this.acts.push(call);
            call.acting?.();
            return { output: await this.outside(call), tabs: call.tabs };
          },
        },
      },
      onCommit: (commit) => {
        sessions().committed(commit);
        this.committed?.(commit);
      },
    });
    this.sessions = new ClientSessions({
      store: this.store,
      engine: this.engine,
      clock: this.clock,
      grants: { list: async () => this.granted },
    });
  }

  /** The worker dies at once, and another one takes over. */
  async die(): Promise<void> {
    this.engine.dispose();
    this.wake();
    await this.engine.recover();
  }

  /** As the worker that lives now answers a call of the link. */
  answer(call: LinkCall): Promise<Json> {
    const { store, engine, clock, sessions: clients, updates, workflows } = this;
    const triggers = { tools: () => workflows.map((workflow) => ({ workflow })) };
    return answerCall({ store, engine, clock, clients, updates, triggers } as unknown as App, call);
  }

  linkCall(method: string, params: Json, more: Partial<LinkCall> = {}): LinkCall {
    return {
      key: randomUUID(),
      caller: { session: this.session, name: 'Test client' },
      method,
      params,
      signal: new AbortController().signal,
      progress: () => undefined,
      ...more,
    };
  }

  ask(method: string, params: Json = {}, more: Partial<LinkCall> = {}): Promise<JsonObject> {
    return this.answer(this.linkCall(method, params, more)) as Promise<JsonObject>;
  }

  call(tool: string, args: JsonObject = {}, more: Partial<LinkCall> & { waitMs?: number } = {}): Promise<JsonObject> {
    const { waitMs, ...rest } = more;
    return this.ask('browser.call', { tool, arguments: args, ...(waitMs === undefined ? {} : { waitMs }) }, rest);
  }

  async run() {
    const runs = await this.store.runs();
    expect(runs).toHaveLength(1);
    return runs[0] as (typeof runs)[number];
  }

  /** What a person is asked, once they are. */
  async asked() {
    await expect.poll(() => this.store.approvals({ status: 'pending' })).toHaveLength(1);
    return (await this.store.approvals({ status: 'pending' }))[0] as NonNullable<
      Awaited<ReturnType<typeof this.store.approvals>>[0]
    >;
  }

  async decide(decision: 'approved' | 'rejected'): Promise<void> {
    const { runId, path, hash } = await this.asked();
    const command = { type: 'decide' as const, runId, path, hash, decision };
    const at = this.clock.now();
    const done = await this.engine.send({ commandId: randomUUID(), at, by: 'person', roles: ['owner'], command });
    expect(done).toMatchObject({ ok: true });
  }
}
