import { describe, expect, it } from 'vitest';
import { settle } from './fake.ts';
import { ASK, INPUT, setUp } from './world.ts';

describe('a workflow that is switched off', () => {
  it('data-1: switched off, given out, taken in elsewhere, the worker anew: it is off in both places and starts nowhere', async () => {
    const here = setUp();
    await here.ask('workflow.import', { source: ASK, enable: true });
    await here.ask('workflow.enable', { workflowId: 'ask', enabled: false });
    const source = (await here.ask('workflow.get', { workflowId: 'ask' }))?.source as string;
    const there = setUp();
    expect(await there.ask('workflow.import', { source })).toMatchObject({ workflowId: 'ask', enabled: false });
    for (const place of [here, there]) {
      const next = place.restart().restart();
      await settle();
      const { workflows, live } = await next.ask('state.get', {});
      expect([workflows.map((row) => row.enabled), live]).toEqual([[false], []]);
      expect(await next.ask('run.start', { workflowId: 'ask', input: INPUT })).toMatchObject({
        refused: { code: 'workflow_disabled' },
      });
    }
  });
});

describe('the source of a workflow', () => {
  it('data-5: comments and the order of the file survive a save, an edit beside them and a new worker', async () => {
    const { ask, restart } = setUp();
    const first = `# Who may say yes: see the wiki.\n${ASK.replace('steps:', 'steps: # one after the other')}# the end\n`;
    await ask('workflow.import', { source: first });
    expect((await ask('workflow.get', { workflowId: 'ask' }))?.source).toBe(first);
    const second = `${first.replace('message: Look', 'message: Look well')}# by hand\n`;
    await ask('workflow.import', { source: second });
    expect((await restart().ask('workflow.get', { workflowId: 'ask' }))?.source).toBe(second);
  });

  it('data-5: a step is removed that another depends on: refused with its line, as a draft too, and what is stored keeps its edges and comments', async () => {
    const { ask } = setUp();
    const whole = `${ASK}# kept\n`.replace(
      'output:',
      '  - { id: last, type: wait, for: 1s, dependsOn: [gate] }\noutput:',
    );
    await ask('workflow.import', { source: whole });
    const broken = whole.replace(/^ {2}- \{ id: gate.*\n/m, '');
    const { problems } = await ask('workflow.check', { source: broken });
    expect(problems).toMatchObject([{ code: 'unknown_step', line: 7 }]);
    expect(await ask('workflow.import', { source: broken, draft: true })).toHaveProperty('refused');
    expect(await ask('workflow.get', { workflowId: 'ask' })).toMatchObject({ source: whole, problems: [] });
  });
});
