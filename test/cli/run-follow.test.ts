import { expect, it } from 'vitest';
import type { RunDetail } from '../../src/app/protocol.ts';
import type { Background } from '../../src/cli/run/background.ts';
import { backgroundOf } from '../../src/cli/run/background.ts';
import { follow } from '../../src/cli/run/follow.ts';
import type { Io } from '../../src/cli/run/io.ts';
import { needsOf } from '../../src/cli/run/needs.ts';
import { askFor, type TerminalContext } from '../../src/cli/run/terminal.ts';
import type { Command } from '../../src/model/commands.ts';
import { approvalRow, stepRow } from '../support/rows.ts';
import { detailOf } from './rows.ts';

const GATE = stepRow('gate', { status: 'waiting', wait: { kind: 'approval', since: 0, subject: 'ap-1' } });
const WAITING = detailOf({ status: 'waiting' }, [GATE], [approvalRow()]);

/** A background that shows a run in one state after the other; the last one stays. */
function showing(...looks: (RunDetail | null)[]): Background {
  let look = 0;
  return backgroundOf({
    sendMessage: async <T>() => ({ ok: true, value: looks[Math.min(look++, looks.length - 1)] }) as T,
  });
}

it('a run is looked at until it has ended', async () => {
  const seen: string[] = [];
  const background = showing(detailOf({ status: 'running' }), detailOf({ status: 'completed' }));
  const followed = await follow(background, 'run-1', {
    onLook: ({ run }) => void seen.push(run.status),
    give: async () => 'no',
  });
  expect(seen).toEqual(['running', 'completed']);
  expect(followed.waitsFor).toBeUndefined();
});

it('a run that stands still for what cannot be given is left, and says for what', async () => {
  const followed = await follow(showing(WAITING), 'run-1', { onLook: () => undefined, give: async () => 'no' });
  expect(followed.waitsFor?.kind).toBe('approval');
});

it('a run that waits for one thing while another step works is not left', async () => {
  const busy = detailOf({ status: 'running' }, [GATE, stepRow('other', { status: 'running' })], [approvalRow()]);
  const followed = await follow(showing(busy, detailOf({ status: 'failed' })), 'run-1', {
    onLook: () => undefined,
    give: async () => 'no',
  });
  expect(followed.detail.run.status).toBe('failed');
});

it('what is given is given once per look, and the run goes on', async () => {
  let given = 0;
  const followed = await follow(showing(WAITING, detailOf({ status: 'completed' })), 'run-1', {
    onLook: () => undefined,
    give: async () => {
      given += 1;
      return 'given';
    },
  });
  expect(given).toBe(1);
  expect(followed.detail.run.status).toBe('completed');
});

it('a run that is not there is a sentence, not a hang', async () => {
  await expect(follow(showing(null), 'nope', { onLook: () => undefined, give: async () => 'no' })).rejects.toThrow(
    'no run nope in this profile',
  );
});

it("the background's refusal of a message keeps its code", async () => {
  const background = backgroundOf({
    sendMessage: async <T>() => ({ ok: false, error: { code: 'bad_request', message: 'Correct it.' } }) as T,
  });
  await expect(background.ask('health.get', {})).rejects.toMatchObject({ code: 'bad_request', message: 'Correct it.' });
});

/** A person at the terminal who gives these answers. */
function person(...answers: string[]) {
  const said: string[] = [];
  const commands: Command[] = [];
  const io: Io = {
    say: (text = '') => void said.push(text),
    complain: (text) => void said.push(text),
    result: () => undefined,
    interactive: true,
    ask: async () => answers.shift() ?? '',
  };
  const context: TerminalContext = {
    io,
    runId: 'run-1',
    now: () => 1000,
    signal: new AbortController().signal,
    open: async () => 'Saved it.',
    command: async (command) => {
      commands.push(command);
      return { ok: true };
    },
  };
  return { context, said, commands };
}

const recovery = { kind: 'recovery' as const, row: stepRow('send', { status: 'waiting' }) };

it('at the terminal an approval is shown, opened, and decided by its hash', async () => {
  const { context, said, commands } = person('maybe', 'o', 'a', 'looks right');
  const [need] = needsOf(WAITING);
  expect(need && (await askFor(need, context))).toBe(true);
  expect(said.join('\n')).toContain('Send it?');
  expect(said).toContain('Saved it.');
  expect(commands).toEqual([
    {
      type: 'decide',
      runId: 'run-1',
      path: 'gate',
      hash: 'd'.repeat(64),
      decision: 'approved',
      comment: 'looks right',
    },
  ]);
});

it('an empty answer decides nothing', async () => {
  const { context, commands } = person('');
  const [need] = needsOf(WAITING);
  expect(need && (await askFor(need, context))).toBe(false);
  expect(commands).toEqual([]);
});

it.each([
  [['r'], { decision: 'retry' }],
  [['fail'], { decision: 'fail' }],
  [['d', 'not json', '{"id": 7}'], { decision: 'done', output: { id: 7 } }],
  [['d', ''], { decision: 'done', output: null }],
])('an interrupted step, answered %j', async (answers, sent) => {
  const { context, commands } = person(...answers);
  await askFor(recovery, context);
  expect(commands).toEqual([{ type: 'recover', runId: 'run-1', path: 'send', ...sent }]);
});

it('a budget is raised to what is typed, and left where nothing is', async () => {
  const need = { kind: 'budget' as const, row: stepRow('ask', { status: 'waiting' }) };
  const generous = person('5000');
  await askFor(need, generous.context);
  expect(generous.commands).toEqual([{ type: 'raiseBudget', runId: 'run-1', tokens: 5000 }]);
  expect(await askFor(need, person('').context)).toBe(false);
});

it('a refused decision is said with its code', async () => {
  const { context, said } = person('r', '');
  const [need] = needsOf(WAITING);
  if (need)
    await askFor(need, {
      ...context,
      command: async () => ({ ok: false, code: 'approval_expired', message: 'It is too late.' }),
    });
  expect(said.join('\n')).toContain('approval_expired');
});
