import { describe, expect, it } from 'vitest';
import { isEntryFile, readEntry, trial } from '../../src/engine/entries/file.ts';
import { entriesNamed, planKey } from '../../src/engine/entries/link.ts';
import { checkDefinition } from '../../src/engine/preflight/index.ts';
import { bareEntry, type EntryDefinition, entriesOf } from '../../src/model/library.ts';
import type { WorkflowDefinition } from '../../src/model/workflow.ts';
import { registry } from '../../src/steps/index.ts';

const GRADE = `# How lines are graded.
format: tabloom/v1
recipe: grade
name: Grade a line
prompt: "Grade {{input.line}}"
inputSchema: { type: object, required: [line], properties: { line: { type: string } } }
outputSchema: { type: object, required: [score], properties: { score: { type: number } } }
examples:
  - { name: Tea, input: { line: Tea }, output: { score: 1 } }
`;
const AGENT = `format: tabloom/v1
agent: finder
name: Finds orders
instructions: "Find {{input.what}}."
tools: [browser_snapshot, text.split]
`;

const read = (text: string) => readEntry(text, 'entry.yaml', registry);
const problems = (text: string) =>
  read(text).problems.map(({ code, pointer, line }) => `${code} ${pointer} ${line ?? '-'}`);

describe('the file of a recipe or an agent', () => {
  it('is read whole, with the hash of what it says', () => {
    const { definition, revision, problems: found } = read(GRADE);
    expect(found).toEqual([]);
    expect(definition).toMatchObject({ recipe: 'grade', name: 'Grade a line' });
    expect(revision).toMatch(/^[0-9a-f]{64}$/);
    expect(read(`${GRADE}# more\n`).revision).toBe(revision);
    expect(read(GRADE.replace('Grade {{', 'Rate {{')).revision).not.toBe(revision);
    expect(read(AGENT)).toMatchObject({ definition: { agent: 'finder' }, problems: [] });
  });

  it('is told from that of a workflow', () => {
    expect([GRADE, AGENT].map(isEntryFile)).toEqual([true, true]);
    const workflow = 'format: tabloom/v1\nid: a\nname: A\nsteps: [{ id: a, type: recipe, recipe: grade }]\n';
    expect([workflow, '', 'a: [', '- recipe: a'].map(isEntryFile)).toEqual([false, false, false, false]);
  });

  it.each([
    ['nothing', '', ['schema_invalid  1']],
    ['neither kind', 'format: tabloom/v1\nname: A\nprompt: P\n', ['schema_invalid  1']],
    ['both kinds', `${GRADE}agent: a\n`, ['schema_invalid  2']],
    ['no name', GRADE.replace('name: Grade a line\n', ''), ['schema_invalid /name 2']],
    ['an id that no path could take', GRADE.replace('recipe: grade', 'recipe: a b'), ['schema_invalid /recipe 3']],
    ['an unknown key', `${GRADE}tools: []\n`, ['schema_invalid /tools 10']],
    ['an agent without instructions', AGENT.replace(/instructions.*\n/, ''), ['schema_invalid /instructions 1']],
    ['a prompt that sees more than its input', GRADE.replace('input.line', 'step.a'), ['not_visible /prompt 5']],
    ['a template that is none', GRADE.replace('{{input.line}}', '{{input.}}'), ['template_invalid /prompt 5']],
    ['a path that the input cannot have', GRADE.replace('{{input.line', '{{input.row'), ['path_implausible /prompt 5']],
    ['a schema that is none', GRADE.replace('type: number', 'type: numb'), ['schema_invalid /outputSchema 7']],
    ['an example that does not fit', GRADE.replace('line: Tea', 'line: 1'), ['input_invalid /examples/0/input 9']],
    ['an output that does not fit', GRADE.replace('score: 1', 'score: x'), ['input_invalid /examples/0/output 9']],
    ['a tool that is none', AGENT.replace('text.split', 'shell'), ['tool_unknown /tools 5']],
  ])('says what is wrong: %s', (_, text, expected) => {
    expect(problems(text)).toEqual(expected);
    const warned = expected.every((one) => one.startsWith('path_implausible'));
    expect(read(text).definition === undefined).toBe(!warned);
  });

  it('holds no secret, neither in the prompt nor in an example', () => {
    const key = `sk-ant-api03-${'aB3dE5'.repeat(15)}`;
    for (const text of [GRADE.replace('Grade {{', `Use ${key} {{`), GRADE.replace('line: Tea', `line: ${key}`)]) {
      const { problems: found, definition } = read(text);
      expect(found.map(({ code }) => code)).toContain('secret_detected');
      expect(definition).toBeUndefined();
      expect(JSON.stringify(found)).not.toContain(key);
    }
  });

  it('is tried out in a workflow of one step that preflight accepts', () => {
    for (const text of [GRADE, AGENT]) {
      const definition = read(text).definition as EntryDefinition;
      const workflow = trial(definition, { goal: 'Find it', sites: ['https://example.com/*'] });
      expect(checkDefinition(workflow, registry).filter(({ severity }) => severity === 'error')).toEqual([]);
    }
  });
});

describe('a workflow that names the library', () => {
  const workflow = {
    format: 'tabloom/v1',
    id: 'a',
    name: 'A',
    recipes: { own: { prompt: 'Own' } },
    steps: [
      { id: 'a', type: 'recipe', recipe: 'own' },
      {
        id: 'b',
        type: 'parallel',
        branches: { x: [{ id: 'c', type: 'recipe', recipe: 'grade', input: { line: 'T' } }] },
      },
      {
        id: 'd',
        type: 'recipe',
        prompt: 'P',
        fallback: { steps: [{ id: 'e', type: 'agent', agent: 'finder', goal: 'G' }] },
      },
    ],
    sites: ['https://example.com/*'],
  } as unknown as WorkflowDefinition;

  it('names what it has not itself, at any depth', () => {
    const named = entriesNamed(workflow, registry);
    expect(named.map(({ kind, id, pointer }) => `${kind} ${id} ${pointer}`)).toEqual([
      'recipe grade /steps/1/branches/x/0',
      'agent finder /steps/2/fallback/steps/0',
    ]);
  });

  it('is checked with what the library has: missing, there, and with the warnings of its schemas', () => {
    const entries = entriesOf([GRADE, AGENT].map((text) => read(text).definition as EntryDefinition));
    const codes = (one: WorkflowDefinition, known?: typeof entries) =>
      checkDefinition(one, registry, known).map(({ code, pointer }) => `${code} ${pointer}`);
    expect(codes(workflow)).toEqual([
      'recipe_missing /steps/1/branches/x/0/recipe',
      'agent_missing /steps/2/fallback/steps/0/agent',
    ]);
    expect(codes(workflow, entries)).toEqual([]);
    const reads = { ...workflow, output: '{{step.b.x.points}}', steps: [...workflow.steps] } as WorkflowDefinition;
    reads.steps.push({ id: 'f', type: 'recipe', recipe: 'grade', input: { line: 'T' }, dependsOn: ['b'] });
    reads.output = '{{step.f.points}}';
    expect(codes(reads, entries)).toEqual(['path_implausible /output']);
  });

  it('does not answer for what is wrong in an entry', () => {
    const entries = { recipes: { grade: { prompt: '{{step.nowhere}}' } }, agents: {} };
    const one = { ...workflow, steps: [{ id: 'a', type: 'recipe', recipe: 'grade' }] } as WorkflowDefinition;
    expect(checkDefinition(one, registry, entries)).toEqual([]);
  });
});

describe('what a plan is known by', () => {
  it('is the revision, and the entries that the run keeps, in whatever order', () => {
    expect(planKey('r', { child: 'x' })).toBe('r');
    const one = planKey('r', { 'recipe:a': '1', 'agent:b': '2', child: 'x' });
    expect(one).toBe(planKey('r', { child: 'y', 'agent:b': '2', 'recipe:a': '1' }));
    expect(one).not.toBe(planKey('r', { 'recipe:a': '1', 'agent:b': '3' }));
  });

  it('an entry in a workflow is without what only the library needs', () => {
    expect(Object.keys(bareEntry(read(GRADE).definition as EntryDefinition))).toEqual([
      'prompt',
      'inputSchema',
      'outputSchema',
    ]);
  });
});
