import { afterEach, describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/memory/index.ts';
import { Session } from '../../../src/cli/test-runner/session.ts';
import { checkDefinition, checkInput, readWorkflow } from '../../../src/engine/preflight/index.ts';
import { errorWithoutSecrets } from '../../../src/engine/secrets/index.ts';
import { hashJson } from '../../../src/model/canonical.ts';
import type { Json, JsonObject } from '../../../src/model/json.ts';
import type { Revision, WorkflowDefinition } from '../../../src/model/workflow.ts';
import { registry } from '../../../src/steps/index.ts';
import { alnum, TOKENS } from './tokens.ts';

const token = TOKENS.github_token as string;
/** What may be nowhere: a part of the token long enough to be worth something. */
const mark = token.slice(8, 24);
const sessions: Session[] = [];

afterEach(() => {
  for (const session of sessions.splice(0)) session.engine.dispose();
});

function workflow(more: Partial<WorkflowDefinition> & Pick<WorkflowDefinition, 'steps'>): WorkflowDefinition {
  return { format: 'tabloom/v1', id: 'w', name: 'W', ...more };
}

/** Starts a run of the real engine whose outside answers with `mocks`. */
async function started(definition: WorkflowDefinition, mocks: Record<string, JsonObject[]>, input: JsonObject = {}) {
  const clock = createVirtualClock(0);
  const session = new Session(clock, mocks);
  sessions.push(session);
  const revision: Revision = {
    workflowId: definition.id,
    revision: hashJson(definition as unknown as Json),
    definition,
    createdAt: 0,
  };
  const row = { workflowId: 'w', name: 'W', revision: revision.revision, enabled: true, createdAt: 0, updatedAt: 0 };
  await session.store.saveWorkflow(row, revision);
  const result = await session.start(revision, input);
  await played(session);
  return { session, result };
}

/** Lets everything happen that falls due within a minute of virtual time. */
async function played(session: Session): Promise<void> {
  for (let due = session.clock.next(); due !== undefined && due < 60_000; due = session.clock.next()) {
    session.clock.advanceTo(due);
    await session.settle();
  }
}

/** Everything that the store holds of a run, large values included, as one text. */
async function everything({ store, runId }: Session): Promise<string> {
  const events = await store.events(runId);
  const blobs = events.flatMap(({ data }) =>
    Object.values((data.refs ?? {}) as Record<string, { hash: string }>).map(({ hash }) => store.blob(hash)),
  );
  const parts = [events, await store.run(runId), await store.steps(runId), await store.approvals({ runId })];
  return JSON.stringify([parts, await Promise.all(blobs), await store.pendingCommands()]);
}

describe('block', () => {
  it('a token in a reply: the step fails at its first attempt, uncovered by fallback or onError, and nothing of it is stored', async () => {
    const definition = workflow({
      steps: [
        {
          id: 'say',
          type: 'recipe',
          prompt: 'p',
          onError: 'continue',
          fallback: { value: 'f' },
          retry: { on: ['secret_detected'] },
        },
        { id: 'next', type: 'recipe', prompt: 'q' },
      ],
    });
    const { session } = await started(definition, { say: [{ text: `key ${token}` }], next: [{ text: 'n' }] });
    expect((await session.run())?.status).toBe('failed');
    const say = await session.step('say');
    expect(say?.error).toMatchObject({ code: 'secret_detected', details: { kind: 'github_token' } });
    expect(say?.attempts).toHaveLength(1);
    expect(session.mocks.calls.get('next')).toBeUndefined();
    expect(await everything(session)).not.toContain(mark);
  });

  it('a reply that is no JSON and holds a token: it is not sent back to the model to be repaired', async () => {
    const definition = workflow({
      steps: [{ id: 'say', type: 'recipe', prompt: 'p', outputSchema: { type: 'object', required: ['a'] } }],
    });
    const { session } = await started(definition, { say: [{ raw: `sorry, ${token}` }, { raw: '{"a":1}' }] });
    expect((await session.step('say'))?.error?.code).toBe('secret_detected');
    expect(session.mocks.calls.get('say')).toBe(1);
    expect(await everything(session)).not.toContain(mark);
  });

  it('two harmless inputs that a prompt makes a token of: no model sees it', async () => {
    const definition = workflow({
      steps: [{ id: 'say', type: 'recipe', prompt: 'use {{workflow_input.a}}{{workflow_input.b}}' }],
    });
    const input = { a: token.slice(0, 6), b: token.slice(6) };
    const { session } = await started(definition, { say: [{ text: 's' }] }, input);
    expect((await session.step('say'))?.error?.code).toBe('secret_detected');
    expect(session.mocks.calls.get('say')).toBeUndefined();
  });

  it('a step that computes a token: fails, and the token is not kept', async () => {
    const definition = workflow({
      steps: [
        {
          id: 'joined',
          type: 'deterministic_command',
          operation: 'text.join',
          arguments: { items: [token.slice(0, 9), token.slice(9)], separator: '' },
        },
      ],
    });
    const { session } = await started(definition, {});
    expect((await session.step('joined'))?.error?.code).toBe('secret_detected');
    expect(await everything(session)).not.toContain(token);
  });

  it('a token in the input: the engine refuses the start, also without a preflight before it', async () => {
    const definition = workflow({ steps: [{ id: 'say', type: 'recipe', prompt: 'p' }] });
    const { session, result } = await started(definition, { say: [{ text: 's' }] }, { note: token });
    expect(result).toMatchObject({ ok: false, code: 'secret_detected' });
    expect(JSON.stringify(result)).not.toContain(mark);
    expect(await session.store.runs()).toEqual([]);
    expect(checkInput(definition, { note: [token] })).toMatchObject([
      { code: 'secret_detected', pointer: '/inputs/note/0' },
    ]);
  });

  it('a token in a signal: refused, and not even the inbox holds it', async () => {
    const definition = workflow({ steps: [{ id: 'wait', type: 'wait', signal: 'go' }] });
    const { session } = await started(definition, {});
    const sent = await session.send({ type: 'signal', runId: session.runId, name: 'go', payload: { token } }, [
      'owner',
    ]);
    expect(sent).toMatchObject({ ok: false, code: 'secret_detected' });
    expect((await session.step('wait'))?.status).toBe('waiting');
    expect(await everything(session)).not.toContain(mark);
  });
});

describe('redact', () => {
  it('a token in input, reply and signal: the run goes on without it, and the rest stays', async () => {
    const definition = workflow({
      secretPolicy: 'redact',
      steps: [
        { id: 'say', type: 'recipe', prompt: 'use {{workflow_input.note}}' },
        { id: 'wait', type: 'wait', signal: 'go' },
      ],
      output: { said: '{{step.say.text}}', sent: '{{step.wait.payload}}', note: '{{workflow_input.note}}' },
    });
    const mocks = { say: [{ text: `a ${token} b ${'x '.repeat(9000)}` }] };
    const { session } = await started(definition, mocks, { note: `n ${token}` });
    await session.send({ type: 'signal', runId: session.runId, name: 'go', payload: token }, ['owner']);
    await played(session);
    const run = await session.run();
    expect(run?.status).toBe('completed');
    expect(run?.input).toEqual({ note: 'n [redacted:github_token]' });
    expect((await session.step('wait'))?.output).toEqual({ wokenBy: 'signal', payload: '[redacted:github_token]' });
    const all = await everything(session);
    expect(all).toContain('a [redacted:github_token] b x');
    expect(all).not.toContain(mark);
  });
});

describe('errors of attempts', () => {
  const plain = { code: 'auth_failed', message: `The key ${token} was refused.` };
  const detailed = { code: 'output_invalid', message: 'no JSON', details: { reply: token } };

  it('a token in the message: the code stays, since it says what to do, and the token goes', () => {
    expect(errorWithoutSecrets({}, plain, undefined, false)).toEqual({
      code: 'auth_failed',
      message: 'The key [redacted:github_token] was refused.',
    });
  });

  it('a token in what a model or page gave back: block fails with secret_detected, redact keeps the error', () => {
    expect(errorWithoutSecrets({}, detailed, undefined, false).code).toBe('secret_detected');
    expect(errorWithoutSecrets({}, { code: 'timeout', message: 't' }, { reply: token }, false).code).toBe(
      'secret_detected',
    );
    expect(errorWithoutSecrets({ secretPolicy: 'redact' }, detailed, undefined, false)).toEqual({
      ...detailed,
      details: { reply: '[redacted:github_token]' },
    });
  });

  it('a step that may have acted: stays an open question, without the token', () => {
    const found = errorWithoutSecrets({}, { ...detailed, code: 'network' }, undefined, true);
    expect(found).toMatchObject({ code: 'network', details: { reply: '[redacted:github_token]' } });
  });
});

describe('definitions', () => {
  it('a token in a step, under either policy: refused with its pointer, never quoted', () => {
    for (const secretPolicy of ['block', 'redact'] as const) {
      const definition = workflow({
        secretPolicy,
        steps: [{ id: 'say', type: 'recipe', prompt: `use ${token}`, [token]: 1 }],
      });
      const problems = checkDefinition(definition, registry);
      expect(problems).toContainEqual(
        expect.objectContaining({ code: 'secret_detected', pointer: '/steps/0/prompt', severity: 'error' }),
      );
      expect(JSON.stringify(problems)).not.toContain(mark);
    }
  });

  it('a token in a comment of the file: refused with line and column', () => {
    const text = `format: tabloom/v1\nid: w\nname: W\n# old: ${token}\nsteps:\n  - { id: a, type: recipe, prompt: p }\n`;
    const { problems } = readWorkflow(text, 'w.yaml', registry);
    expect(problems).toMatchObject([{ code: 'secret_detected', line: 4, column: 8 }]);
    expect(JSON.stringify(problems)).not.toContain(mark);
  });

  it('a file that cannot be read and holds a token: the message does not quote it', () => {
    const { problems } = readWorkflow(`steps: [ ${token}: {\n  - ${token}`, 'w.yaml', registry);
    expect(problems.length).toBeGreaterThan(0);
    expect(JSON.stringify(problems)).not.toContain(mark);
  });

  it('a reference to a stored secret, and text about passwords: clean', () => {
    const definition = workflow({
      sites: ['https://example.test/*'],
      steps: [
        {
          id: 'open',
          type: 'browser_action',
          action: 'fill',
          arguments: { target: { label: 'Password' }, value: '{{secret.password}}' },
        },
        { id: 'say', type: 'recipe', prompt: `Is the password field there? ${alnum(5)}` },
      ],
    });
    expect(checkDefinition(definition, registry)).toEqual([]);
  });
});
