import { describe, expect, it } from 'vitest';
import { CdpError } from '../../src/cli/browser/cdp.ts';
import { whatNext } from '../../src/cli/commands/start.ts';
import { actText, approvalText } from '../../src/cli/run/approval-text.ts';
import { oneSentence, RunFailure } from '../../src/cli/run/failure.ts';
import { leftBehind, waitingText } from '../../src/cli/run/left.ts';
import { leftWaiting, needsOf, needWords, standsStill } from '../../src/cli/run/needs.ts';
import { freeName, safeName } from '../../src/cli/run/out-folder.ts';
import { Progress } from '../../src/cli/run/progress.ts';
import { exitCodeOf, refusedResult, resultOf } from '../../src/cli/run/result.ts';
import { durationText, printable } from '../../src/cli/run/text.ts';
import { failureText, treeText } from '../../src/cli/run/tree.ts';
import { wantsText } from '../../src/cli/run/wants.ts';
import { TabloomError } from '../../src/model/errors.ts';
import type { WorkflowDefinition } from '../../src/model/workflow.ts';
import { approvalRow, stepRow } from '../support/rows.ts';
import { detailOf } from './rows.ts';

describe('text for the terminal', () => {
  it('what a page wrote cannot move the cursor or turn the reading direction', () => {
    expect(printable('a\u001b[2Jb\u202ec\u0007d\u009be\u2066f\rg')).toBe('a�[2Jb�c�d�e�f�g');
    expect(printable('a\r\nb\tc')).toBe('a\nb\tc');
  });

  it.each([
    [14, '14 ms'],
    [1440, '1.4 s'],
    [125_000, '2 min 5 s'],
    [3_720_000, '1 h 2 min'],
  ])('%d ms is %s', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });

  it('our own errors are said as they are, others are marked as ours to fix', () => {
    expect(oneSentence(new RunFailure('Do this.'))).toBe('Do this.');
    expect(oneSentence(new TypeError('x is undefined\n  at y'))).toMatch(/^Tabloom failed.*: x is undefined \(.*\)\.$/);
  });

  it.each([
    ['../../etc/passwd', '_.._etc_passwd'],
    ['a\u0000b:c.csv', 'a_b_c.csv'],
    ['...', 'file'],
    ['CON.txt', '_CON.txt'],
  ])('the artifact name %j becomes %s', (name, safe) => {
    expect(safeName(name)).toBe(safe);
  });

  it('a taken file name gets a number before its ending', () => {
    expect(freeName('a.csv', (name) => ['a.csv', 'a-2.csv'].includes(name))).toBe('a-3.csv');
  });
});

describe('progress and tree', () => {
  it('says each change of a step once, with its error and the pause before the next attempt', () => {
    const lines: string[] = [];
    const progress = new Progress((line) => lines.push(line));
    const running = stepRow('read', { status: 'running', name: 'Read it' });
    progress.update({ steps: [running] });
    progress.update({ steps: [running] });
    const error = { code: 'rate_limited', message: 'Too many.' };
    progress.update({
      steps: [{ ...running, attempts: [{ number: 1, startedAt: 0, endedAt: 5, error, delayMs: 2000 }] }],
    });
    progress.update({ steps: [{ ...running, attempt: 2, status: 'completed', startedAt: 0, endedAt: 2400 }] });
    expect(lines).toEqual([
      '→ read  Read it',
      '→ read  attempt 1 failed, again in 2.0 s: rate_limited, Too many.',
      '✓ read  2.4 s',
    ]);
  });

  it('the tree shows nesting, items, attempts, tokens, money and the error', () => {
    const usage = { inputTokens: 1000, outputTokens: 200, usd: 0.0021 };
    const detail = detailOf(
      {
        status: 'failed',
        endedAt: 3500,
        activeMs: 900,
        usage,
        error: { code: 'output_invalid', message: 'No score.', step: 'each[1]/grade' },
      },
      [
        stepRow('each', { type: 'loop', status: 'failed', order: 0, startedAt: 1000, endedAt: 3000 }),
        stepRow('each[0]/grade', { order: 1, attempt: 2, usage, startedAt: 1000, endedAt: 1500 }),
        stepRow('each[1]/grade', {
          order: 2,
          status: 'failed',
          error: { code: 'output_invalid', message: 'No score.' },
        }),
      ],
    );
    const text = treeText(detail, 9000);
    expect(text.split('\n')).toEqual([
      'Demo: failed in 2.5 s (at work 900 ms), 1,200 tokens, $0.0021',
      '└─ ✗ each  2.0 s',
      '   ├─ ✓ 1 of 2',
      '   │  └─ ✓ grade  500 ms  2 attempts  1,200 tokens, $0.0021',
      '   └─ ✗ 2 of 2',
      '      └─ ✗ grade  output_invalid: No score.',
    ]);
    expect(failureText(detail)).toBe('Failed at each[1]/grade with output_invalid: No score.');
  });

  it('what a workflow wants names sites, effects, approvals and the model', () => {
    const definition: WorkflowDefinition = {
      format: 'tabloom/v1',
      id: 'w',
      name: 'W',
      sites: ['https://a.example/*'],
      steps: [
        { id: 'go', type: 'browser_action', action: 'navigate' },
        { id: 'ok', type: 'approval' },
        { id: 'press', type: 'browser_action', action: 'click' },
        { id: 'ask', type: 'recipe' },
      ],
    };
    const text = wantsText(definition, 'abcdef0123456789');
    for (const part of [
      'W (w, revision abcdef01)',
      'https://a.example/*',
      'browser_action: click',
      '1 must not happen twice',
      'asks once',
      'sends what it reads',
    ]) {
      expect(text).toContain(part);
    }
  });
});

describe('the result', () => {
  it.each([
    ['completed', 0],
    ['failed', 1],
    ['cancelled', 1],
    ['partial', 3],
    ['waiting', 4],
    ['paused', 4],
  ] as const)('%s ends with %d', (status, code) => {
    expect(exitCodeOf(status)).toBe(code);
  });

  it('has exactly the fields that are promised, null where there is nothing', () => {
    const detail = detailOf({ status: 'completed', endedAt: 3000, output: { n: 1 } }, [
      stepRow('b', { order: 2, status: 'failed', error: { code: 'timeout', message: 'Late.', step: 'b' } }),
      stepRow('a', { order: 1, output: 7 }),
    ]);
    const result = resultOf(detail, 9000);
    expect(result).toEqual({
      runId: 'run-1',
      status: 'completed',
      output: { n: 1 },
      error: null,
      steps: {
        a: { status: 'completed', attempts: 1, output: 7, error: null },
        b: { status: 'failed', attempts: 1, output: null, error: { code: 'timeout', message: 'Late.', step: 'b' } },
      },
      usage: { inputTokens: 0, outputTokens: 0 },
      durationMs: 2000,
    });
    expect(Object.keys(result.steps)).toEqual(['a', 'b']);
  });

  it('a refused start has the same fields, with the first error', () => {
    const warning = { code: 'maybe_skipped', severity: 'warning' as const, message: 'Perhaps.', pointer: '/a' };
    const error = {
      code: 'site_not_granted',
      severity: 'error' as const,
      message: 'Grant it.',
      pointer: '/sites',
      step: 'x',
    };
    const refused = refusedResult([warning, error], { code: 'preflight_failed', message: 'No.' });
    expect(refused.error).toEqual({ code: 'site_not_granted', message: 'Grant it.', step: 'x' });
    expect(Object.keys(refused)).toEqual(Object.keys(resultOf(detailOf({}), 0)));
    expect(refusedResult([], { code: 'emergency_stop', message: 'No.' }).error?.code).toBe('emergency_stop');
  });
});

describe('what a run waits for', () => {
  const waiting = (kind: string, more = {}) =>
    stepRow('s', { status: 'waiting', wait: { kind: kind as 'signal', since: 0, ...more } });

  it('an approval is found by its step, and its words say which', () => {
    const [need] = needsOf(
      detailOf(
        { status: 'waiting' },
        [stepRow('gate', { status: 'waiting', wait: { kind: 'approval', since: 0, subject: 'ap-1' } })],
        [approvalRow()],
      ),
    );
    expect(need?.kind).toBe('approval');
    expect(need && needWords(need)).toContain('"Send it?" (step gate)');
    expect(need && leftWaiting(need, 'run-1', '/p')).toContain('tabloom run --resume run-1 --profile /p and decide');
  });

  it('a missing grant says which origin to grant', () => {
    const [need] = needsOf(detailOf({ status: 'waiting' }, [waiting('permission', { subject: 'https://a.example' })]));
    expect(need && leftWaiting(need, 'r', '/p')).toContain('--grant https://a.example');
  });

  it.each(['recovery', 'budget', 'signal', 'permission', 'review', 'task', 'tool_change'])(
    'whatever it waits for (%s), it says how to go on, in words that a shell takes',
    (kind) => {
      const [need] = needsOf(detailOf({ status: 'waiting' }, [waiting(kind)]));
      expect(need && leftWaiting(need, 'r', '/p q/$x')).toContain('npx tabloom run --resume r --profile "/p q/\\$x" ');
    },
  );

  it('a run that is paused: by the terminal too', () => {
    const [need] = needsOf(detailOf({ status: 'paused' }));
    expect(need && leftWaiting(need, 'r', '/p')).toContain('--resume r --profile /p and answer at the terminal');
  });

  it('timers and pages come by themselves: nothing is needed, and the run does not stand still', () => {
    for (const kind of ['timer', 'page']) {
      const detail = detailOf({ status: 'waiting' }, [waiting(kind)]);
      expect(needsOf(detail)).toEqual([]);
      expect(standsStill(detail)).toBe(false);
    }
    expect(standsStill(detailOf({ status: 'waiting' }, [waiting('signal')]))).toBe(true);
    expect(standsStill(detailOf({ status: 'running' }, [waiting('signal')]))).toBe(false);
    expect(standsStill(detailOf({ status: 'paused' }))).toBe(true);
  });
});

describe('a run that is left before its end', () => {
  const left = { runId: 'r', profileDir: '/p', again: undefined };
  const closed = new CdpError('closed', 'Runtime.evaluate', 'the browser is closed');
  const told: string[] = [];
  const leave = (error: unknown, run: typeof left | { again: string } | undefined, gone = false) => {
    told.length = 0;
    return leftBehind(error, run && { ...left, ...run }, gone, (text) => told.push(text)) as RunFailure;
  };

  it.each([
    ['the browser was closed', closed, true],
    ['something could not go on', new RunFailure('The popup does not open.'), false],
  ])('%s: ends with 4, and says how to go on', (_, error, gone) => {
    const thrown = leave(error, left, gone);
    expect(thrown.exitCode).toBe(4);
    expect(thrown.message).toContain('go on with npx tabloom run --resume r --profile /p ');
  });

  it.each([
    ['the store', new TabloomError('internal', 'The store is full.')],
    ['a fault of ours', new TypeError('x is undefined')],
    ['a browser that answers late', new CdpError('timeout', 'Runtime.evaluate', 'it took too long')],
  ])('by %s: the error stays what it is, and how to go on is said', (_, error) => {
    expect(leave(error, left)).toBe(error);
    expect(told.join()).toContain('go on with npx tabloom run --resume r --profile /p ');
  });

  it('before there is a run: nothing is said of going on', () => {
    expect(leave(closed, undefined, true)).toMatchObject({
      exitCode: 1,
      message: expect.stringContaining('Run it again'),
    });
    expect(leave(new RunFailure('No.'), undefined).message).toBe('No.');
    expect(told).toEqual([]);
  });

  it('the demo, whose site ends with it: to start again, and not to go on', () => {
    const again = 'Start again.';
    const [need] = needsOf(detailOf({ status: 'paused' }));
    const texts = [
      leave(closed, { again }, true).message,
      leave(new RunFailure('No.'), { again }).message,
      need && waitingText(need, { ...left, again }),
    ];
    for (const text of texts) {
      expect(text).toContain(again);
      expect(text).not.toContain('--resume');
    }
    expect(need && waitingText(need, left)).toContain('--resume r --profile /p');
  });
});

describe('the demo says what comes next', () => {
  it('with a display where to click, without one that nobody has to', () => {
    expect(whatNext(false)).toMatch(/^Next: [^\n]*Tabloom's button[^\n]*Ctrl\+Shift\+Y[^\n]*Approve or Reject\.$/);
    expect(whatNext(true)).toMatch(/^Next: nothing to do[^\n]*$/);
  });
});

describe('an approval at the terminal', () => {
  it('shows everything that the hash binds, and nothing that could lie about it', () => {
    const text = approvalText(
      approvalRow({
        title: 'Pay\u001b[8m?',
        message: 'Two lines\nof it',
        risk: 'money',
        show: { amount: 12 },
        covers: [
          {
            path: 'pay',
            stepId: 'pay',
            name: 'Pay',
            type: 'browser_action',
            action: 'fill',
            origin: 'https://bank.example',
            tab: 't1',
            arguments: { target: { label: 'IBAN' }, value: 'DE00' },
          },
        ],
      }),
      1000,
    );
    expect(text).not.toContain('\u001b');
    for (const part of [
      'Two lines',
      '"amount": 12',
      'SPENDS MONEY',
      'IBAN',
      '"DE00"',
      'https://bank.example',
      'owner',
      '1 min 0 s',
      'dddddddd',
      'exactly these 1 acts',
    ]) {
      expect(text).toContain(part);
    }
  });

  it('arguments that have no words of their own are written out', () => {
    const act = {
      path: 'x',
      stepId: 'x',
      name: 'X',
      type: 'browser_action',
      action: 'click',
      arguments: { target: { text: 'Go' }, modifiers: ['Shift'] },
    };
    expect(actText(act)).toContain('["Shift"]');
  });
});
