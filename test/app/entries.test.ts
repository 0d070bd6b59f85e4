import { describe, expect, it } from 'vitest';
import { settle } from './fake.ts';
import { setUp } from './world.ts';

const GRADE = `format: tabloom/v1
recipe: grade
name: Grade a line
prompt: "Grade {{input.line}}"
inputSchema: { type: object, required: [line] }
`;
const USES = `format: tabloom/v1
id: uses
name: Uses it
steps: [{ id: g, type: recipe, recipe: grade, input: { line: Tea } }]
`;
const MODEL = {
  settings: {
    accounts: [{ id: 'openai', provider: 'openai' as const, hasKey: true }],
    names: {},
    default: 'openai:gpt-4.1-mini',
  },
  apiKey: 'sk-test',
};

describe('recipes and agents of the library', () => {
  it('are saved, listed, shown with their revisions and users, and survive the worker', async () => {
    const here = setUp();
    const first = await here.ask('entry.save', { source: GRADE });
    expect(first).toMatchObject({ row: { kind: 'recipe', id: 'grade', name: 'Grade a line' }, problems: [] });
    expect(await here.ask('workflow.import', { source: USES, enable: true })).toMatchObject({ enabled: true });
    const second = GRADE.replace('Grade {{', 'Rate {{');
    here.clock.advanceTo(here.clock.now() + 1000);
    await here.ask('entry.save', { source: second, as: { kind: 'recipe', id: 'grade' } });
    const next = here.restart();
    const { entries } = await next.ask('entries.list', {});
    expect(entries).toHaveLength(1);
    const shown = await next.ask('entry.get', { kind: 'recipe', id: 'grade' });
    expect(shown).toMatchObject({ source: second, usedBy: [{ workflowId: 'uses', name: 'Uses it' }] });
    expect(shown?.revisions).toHaveLength(2);
    const old = shown?.revisions[1]?.revision as string;
    expect(await next.ask('entry.get', { kind: 'recipe', id: 'grade', revision: old })).toMatchObject({
      source: GRADE,
    });
    expect((await next.ask('workflow.get', { workflowId: 'uses' }))?.problems.map(({ code }) => code)).toEqual([
      'model_not_configured',
    ]);
  });

  it('are turned down with all that is wrong, and nothing of what is stored changes', async () => {
    const { ask } = setUp();
    await ask('entry.save', { source: GRADE });
    const bad = await ask('entry.save', { source: GRADE.replace('input.line', 'step.x') });
    expect(bad).toMatchObject({ refused: { code: 'preflight_failed', problems: [{ code: 'not_visible', line: 4 }] } });
    const renamed = GRADE.replace('recipe: grade', 'recipe: rate');
    expect(await ask('entry.save', { source: renamed, as: { kind: 'recipe', id: 'grade' } })).toMatchObject({
      refused: { message: expect.stringContaining('recipe: grade') },
    });
    expect(await ask('entry.get', { kind: 'recipe', id: 'grade' })).toMatchObject({ source: GRADE });
    expect(await ask('entry.get', { kind: 'agent', id: 'grade' })).toBeNull();
  });

  it('a workflow that names one that is not there, or that goes, says so and is not started', async () => {
    const { ask } = setUp();
    expect(await ask('workflow.import', { source: USES, enable: true })).toMatchObject({
      refused: { problems: [{ code: 'recipe_missing', line: 4 }] },
    });
    await ask('entry.save', { source: GRADE });
    await ask('models.set', MODEL);
    await ask('workflow.import', { source: USES, enable: true });
    expect(await ask('entry.remove', { kind: 'recipe', id: 'grade' })).toEqual({ removed: true });
    expect((await ask('workflow.get', { workflowId: 'uses' }))?.problems).toMatchObject([{ code: 'recipe_missing' }]);
    const { refused } = (await ask('run.start', { workflowId: 'uses', input: {} })) as { refused: { code: string } };
    expect(refused.code).toBe('recipe_missing');
    expect((await ask('state.get', {})).live).toEqual([]);
  });

  it('are tried out, saved or not, as a run that is in no list of workflows', async () => {
    const { ask } = setUp();
    const none = await ask('entry.try', { source: GRADE, input: { line: 'Tea' } });
    expect(none).toMatchObject({ refused: { code: 'preflight_failed', problems: [{ code: 'model_not_configured' }] } });
    await ask('models.set', MODEL);
    expect(await ask('entry.try', { source: GRADE, input: {} })).toMatchObject({ refused: { code: 'input_invalid' } });
    expect(await ask('entry.try', { source: 'recipe: a', input: {} })).toHaveProperty('refused');
    const begun = await ask('entry.try', { source: GRADE, input: { line: 'Tea' } });
    if (!('runId' in begun)) throw new Error(begun.refused.message);
    await settle();
    const detail = await ask('run.get', { runId: begun.runId });
    expect(detail?.run).toMatchObject({ workflowId: 'try:recipe:grade', workflowName: 'Grade a line' });
    expect(detail?.steps[0]).toMatchObject({ path: 'answer', type: 'recipe' });
    expect((await ask('state.get', {})).workflows).toEqual([]);
    expect((await ask('entries.list', {})).entries).toEqual([]);
  });

  it('consent is asked for the accounts that an entry sends to', async () => {
    const { ask } = setUp();
    await ask('models.set', MODEL);
    expect((await ask('consent.get', { entry: GRADE })).consents).toMatchObject([{ account: 'openai' }]);
    const other = `${GRADE}model: none:none\n`;
    expect((await ask('consent.get', { entry: other })).consents).toEqual([]);
  });
});
