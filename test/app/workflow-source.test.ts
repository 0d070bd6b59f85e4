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
