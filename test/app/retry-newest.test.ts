import { expect, it } from 'vitest';
import { settle } from './fake.ts';
import { setUp } from './world.ts';

const FILE = `format: tabloom/v1
id: numbers
name: Numbers
steps:
  - { id: one, type: deterministic_command, operation: identity, arguments: { value: 1 } }
  - { id: bad, type: deterministic_command, operation: json.parse, arguments: { text: "{" } }
output: "{{step.bad}}"
`;

it('a failed run is offered the newer revision only where there is one that could be started, and goes on with it', async () => {
  const { ask } = setUp();
  await ask('workflow.import', { source: FILE, enable: true });
  const answer = await ask('run.start', { workflowId: 'numbers', input: {} });
  if (!('runId' in answer)) throw new Error(answer.refused.code);
  const { runId } = answer;
  await settle();
  const newer = async () => (await ask('run.get', { runId }))?.newer;
  expect((await ask('run.get', { runId }))?.run.status).toBe('failed');
  expect(await newer()).toBeUndefined();
  const saved = await ask('workflow.import', { source: FILE.replace('"{"', '"[2]"') });
  if (!('revision' in saved)) throw new Error('refused');
  expect(await newer()).toBeUndefined();
  const send = (commandId: string) =>
    ask('command.send', { commandId, surface: 'app', command: { type: 'retry', runId, revision: 'newest' } });
  expect(await send('off')).toMatchObject({ ok: false, code: 'workflow_disabled' });
  await ask('workflow.enable', { workflowId: 'numbers', enabled: true });
  expect(await newer()).toBe(saved.revision);
  expect(await send('on')).toEqual({ ok: true });
  await settle();
  const { run } = (await ask('run.get', { runId })) ?? {};
  expect(run).toMatchObject({ status: 'completed', output: [2], revision: saved.revision });
  expect(await newer()).toBeUndefined();
});

const INNER = `format: tabloom/v1
id: inner
name: Inner
steps:
  - { id: bad, type: deterministic_command, operation: json.parse, arguments: { text: "{" } }
output: { is: "{{step.bad}}" }
`;
const OUTER = `format: tabloom/v1
id: outer
name: Outer
steps:
  - { id: child, type: subworkflow, workflow: middle }
output: "{{step.child.is}}"
`;
const MIDDLE = `format: tabloom/v1
id: middle
name: Middle
steps:
  - { id: child, type: subworkflow, workflow: inner }
output: { is: "{{step.child.is}}" }
`;

it('where only what it calls is newer, two levels down, it is offered its own revision, and goes on with the newer ones', async () => {
  const { ask } = setUp();
  for (const source of [INNER, MIDDLE, OUTER]) await ask('workflow.import', { source, enable: true });
  const answer = await ask('run.start', { workflowId: 'outer', input: {} });
  if (!('runId' in answer)) throw new Error(answer.refused.code);
  const { runId } = answer;
  await settle();
  const detail = () => ask('run.get', { runId });
  expect((await detail())?.run.status).toBe('failed');
  expect((await detail())?.newer).toBeUndefined();
  await ask('workflow.import', { source: INNER.replace('"{"', '"[2]"'), enable: true });
  const { newer, run } = (await detail()) ?? {};
  expect(newer).toBe(run?.revision);
  const command = { type: 'retry', runId, revision: 'newest' } as const;
  expect(await ask('command.send', { commandId: 'on', surface: 'app', command })).toEqual({ ok: true });
  await settle();
  expect((await detail())?.run).toMatchObject({ status: 'completed', output: [2] });
  expect((await detail())?.newer).toBeUndefined();
});
