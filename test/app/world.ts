import {
  createMemoryStore,
  createVirtualClock,
  type MemoryStore,
  seededRandom,
  type VirtualClock,
} from '../../src/adapters/memory/index.ts';
import { createMemorySecretVault } from '../../src/adapters/secrets/index.ts';
import type { Sender } from '../../src/app/browser-api.ts';
import type { RequestName, Requests, ResponseMessage } from '../../src/app/protocol.ts';
import { Runtime } from '../../src/app/runtime.ts';
import { type FakeBrowser, fakeBrowser, OWN, settle } from './fake.ts';

export const ASK = `format: tabloom/v1
id: ask
name: Ask first
inputs: { type: object, required: [n], properties: { n: { type: number } } }
steps:
  - { id: sum, type: deterministic_command, operation: list.sum, arguments: { items: ["{{workflow_input.n}}", 2] } }
  - { id: gate, type: approval, title: "Send {{step.sum}}?", message: Look, risk: reversible }
output: { total: "{{step.sum}}" }
`;
export const CLICK = `format: tabloom/v1
id: click
name: Click
sites: ["https://example.com/*"]
steps:
  - { id: press, type: browser_action, action: click, arguments: { target: { css: button } } }
`;

export const INPUT = { n: 3 };

export interface World {
  fake: FakeBrowser;
  store: MemoryStore;
  clock: VirtualClock;
  runtime: Runtime;
  ask<K extends RequestName>(name: K, payload: Requests[K]['in'], sender?: Sender): Promise<Requests[K]['out']>;
  /** Another worker on the same store and browser, as after a stop. */
  restart(): World;
}

export function setUp(
  before: Partial<Pick<World, 'fake' | 'store' | 'clock'>> = {},
  locks?: Pick<LockManager, 'request'>,
): World {
  const { fake = fakeBrowser(), store = createMemoryStore(), clock = createVirtualClock(1_000_000) } = before;
  const runtime = new Runtime({
    browser: fake.browser,
    store,
    vault: createMemorySecretVault(),
    clock,
    random: seededRandom(clock.now()),
    locks,
  });
  return {
    fake,
    store,
    clock,
    runtime,
    async ask(name, payload, sender = OWN) {
      const answer = (await runtime.onMessage({ tabloom: 1, name, payload }, sender)) as ResponseMessage | undefined;
      if (!answer) throw new Error('ignored');
      if (!answer.ok) throw new Error(answer.error.code);
      return answer.value as never;
    },
    restart: () => setUp({ fake, store, clock: createVirtualClock(clock.now() + 1) }),
  };
}

export async function started(world: World): Promise<string> {
  await world.ask('workflow.import', { source: ASK, enable: true });
  const answer = await world.ask('run.start', { workflowId: 'ask', input: INPUT });
  if (!('runId' in answer)) throw new Error(answer.refused.code);
  await settle();
  return answer.runId;
}

export async function decide(world: World, commandId = 'c1') {
  const [approval] = (await world.ask('state.get', {})).approvals;
  if (!approval) throw new Error('nothing to decide');
  const { runId, path, hash } = approval;
  return world.ask('command.send', {
    commandId,
    surface: 'popup',
    command: { type: 'decide', runId, path, hash, decision: 'approved' },
  });
}
