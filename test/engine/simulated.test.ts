import { expect, it } from 'vitest';
import { click, workflow } from '../support/engine.ts';
import { simulate } from '../support/sim/simulate.ts';

/** Scripts on which the simulation has failed, as small as it could make them. */

it('a run that is called again by one that fails in the same moment does not go on for nobody', async () => {
  const bad = { id: 'bad', type: 'deterministic_command', operation: 'json.parse', arguments: { text: '{' } };
  const call = (id: string, to: string, more = {}) => ({ id, type: 'subworkflow', workflow: to, ...more });
  const once = { retry: { maxAttempts: 1 }, timeout: '10s' };
  const beside = { dependsOn: [] };
  const branches = { b0: [call('s3', 'inner')] };
  const { status } = await simulate({
    definition: workflow([
      call('s0', 'middle'),
      call('s1', 'inner', { timeout: '20s', ...beside }),
      { id: 's2', type: 'parallel', onBranchError: 'continue', branches, ...beside },
    ]),
    called: [
      workflow([click('s0', once)], { id: 'middle' }),
      workflow([click('s0', { timeout: '10s' }), { id: 's2', type: 'wait', signal: 'go' }, { ...bad, ...beside }], {
        id: 'inner',
      }),
    ],
    answers: [{ kind: 'late', ms: 300 }, { kind: 'hang' }, { kind: 'late', ms: 300 }],
    deeds: [{ do: 'signal' }, { do: 'sleep', ms: 1 }, { do: 'next' }],
    retries: 1,
  });
  expect(status).toBe('failed');
});

it('a run that is begun while the one that calls it fails does not go on for nobody', async () => {
  const bad = { id: 's4', type: 'deterministic_command', operation: 'json.parse', arguments: { text: '{' } };
  const call = { id: 's2', type: 'subworkflow', workflow: 'middle' };
  const once = { retry: { maxAttempts: 1 }, timeout: '10s' };
  const { status } = await simulate({
    definition: workflow([click('s0', { timeout: '10s' }), call, click('s3', { ...once, dependsOn: [] }), bad]),
    called: [
      workflow([{ ...call, workflow: 'inner' }], { id: 'middle' }),
      workflow([{ id: 's0', type: 'wait', signal: 'go' }], { id: 'inner' }),
    ],
    answers: [{ kind: 'ok' }, { kind: 'error', code: 'element_not_found' }],
    deeds: [{ do: 'pause', which: 0 }],
    retries: 0,
  });
  expect(status).toBe('failed');
});
