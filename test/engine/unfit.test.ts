import { expect, it } from 'vitest';
import { checkCalls } from '../../src/engine/preflight/children.ts';
import { checkInput } from '../../src/engine/preflight/input.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { WorkflowDefinition } from '../../src/model/workflow.ts';
import { registry } from '../../src/steps/index.ts';
import { gate, World, workflow } from '../support/engine.ts';

/** What does not fit a schema is said in one sentence that names the place once. */

const needs = { type: 'object', required: ['n'], properties: { rows: { type: 'array', items: { type: 'number' } } } };
const value = (more: object) => ({
  id: 'v',
  type: 'deterministic_command',
  operation: 'identity',
  arguments: { value: { rows: ['x'], n: 1 } },
  ...more,
});

async function errorOf(definition: WorkflowDefinition) {
  const world = new World();
  await world.start(definition);
  await world.runOut();
  return (await world.run()).error?.message;
}

it('an output and an input of a step', async () => {
  expect(await errorOf(workflow([value({ outputSchema: needs })]))).toBe(
    'The output of v does not fit its outputSchema: /rows/0 must be a number, found text.',
  );
  expect(await errorOf(workflow([value({ outputSchema: { required: ['m'] } })]))).toBe(
    'The output of v does not fit its outputSchema: the value lacks "m".',
  );
  expect(
    await errorOf(workflow([value({ inputSchema: { properties: { value: { properties: { n: { const: 2 } } } } } })])),
  ).toBe('The input of v does not fit its inputSchema: /value/n must be 2.');
});

it('the data of a task, and an edit of what is shown', async () => {
  const world = new World();
  await world.start(
    workflow([
      { id: 't', type: 'task', title: 'T', form: needs, dependsOn: [] },
      gate('ok', { show: { n: 1 }, editable: { properties: { n: { type: 'number' } } }, dependsOn: [] }),
    ]),
  );
  const data = { n: 1, rows: ['x'] };
  expect(await world.send({ type: 'completeTask', runId: world.runId, path: 't', data })).toMatchObject({
    code: 'form_invalid',
    message: 'The form is not filled in right: /rows/0 must be a number, found text.',
  });
  expect(await world.decide('ok', 'approved', { edits: { n: 'x' } })).toMatchObject({
    code: 'form_invalid',
    message: 'The edit does not fit: /n must be a number, found text.',
  });
});

it("a run's input, and the input of a called workflow, whole or in part known before", async () => {
  const inner = { ...workflow([value({})]), id: 'inner', name: 'Inner', inputs: { ...needs, type: 'object' } };
  const unfit = checkInput(inner, { n: 1, rows: ['x'] });
  expect(unfit.map(({ message }) => message)).toEqual([
    'The input does not fit: /rows/0 must be a number, found text.',
  ]);
  const said = async (input: JsonObject) => {
    const call = { id: 'call', type: 'subworkflow', workflow: 'inner', input };
    const find = async () => ({ revision: 'r', definition: inner, enabled: true });
    const { problems } = await checkCalls(workflow([value({}), call]), registry, find);
    return problems.map(({ message }) => message).sort();
  };
  const place = 'The input of Inner does not fit: /rows/0 must be a number, found text.';
  expect(await said({ n: 1, rows: ['x'] })).toEqual([place]);
  expect(await said({ a: '{{step.v}}', rows: ['x'] })).toEqual([
    place,
    'The input of Inner does not fit: the value lacks "n".',
  ]);
});
