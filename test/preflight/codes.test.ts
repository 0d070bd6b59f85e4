import { describe, expect, it } from 'vitest';
import { checkEnvironment, checkInput, type Environment, readWorkflow } from '../../src/engine/preflight/index.ts';
import { readWorkflowSource } from '../../src/engine/source/index.ts';
import type { WorkflowDefinition } from '../../src/model/workflow.ts';
import { registry } from '../../src/steps/index.ts';
import { TOKENS } from '../engine/secrets/tokens.ts';

const HEAD = ['format: tabloom/v1', 'id: coded', 'name: Coded'];
const say = (id: string, more = '') => `  - { id: ${id}, type: recipe, prompt: Say${more} }`;
const value = (id: string, given: string, more = '') =>
  `  - { id: ${id}, type: deterministic_command, operation: identity, arguments: { value: "${given}" }${more} }`;
const INNER: WorkflowDefinition = {
  format: 'tabloom/v1',
  id: 'inner',
  name: 'Inner',
  inputs: { type: 'object', required: ['n'], properties: { n: { type: 'number' } } },
  steps: [{ id: 'a', type: 'recipe', prompt: 'A' }],
};
const inner = (enabled: boolean): Environment => ({
  workflow: (name) => (name === 'inner' ? { revision: 'r', definition: INNER, enabled } : undefined),
});
const TOOLS: Environment = {
  mcpTools: async (server) => (server === 'crm' ? [{ name: 'find', inputSchema: {} }] : undefined),
};
const call = (name: string, input = '{ n: 1 }') => [
  'steps:',
  `  - { id: call, type: subworkflow, workflow: ${name}, input: ${input} }`,
];
const tool = (server: string, name: string) => [
  'steps:',
  `  - { id: find, type: mcp_tool, server: ${server}, tool: ${name} }`,
];

/** A code, the file below its head, where the problem is told (pointer, line, column), and what the outside says. */
type Row = [code: string, lines: string[], at: string, outside?: Environment];

const ROWS: Row[] = [
  ['schema_invalid', ['colour: red', 'steps:', say('a')], '/colour 4:1'],
  ['duplicate_id', ['steps:', say('a'), say('a')], '/steps/1/id 6:7'],
  ['duplicate_edge', ['steps:', say('a'), say('b', ', dependsOn: [a, a]')], '/steps/1/dependsOn/1 6:56'],
  ['unknown_step', ['steps:', say('a', ', dependsOn: [z]')], '/steps/0/dependsOn/0 5:53'],
  ['cycle', ['steps:', say('a', ', dependsOn: [b]'), say('b', ', dependsOn: [a]')], '/steps/0/dependsOn 5:41'],
  ['not_visible', ['steps:', value('a', '{{step.b}}'), say('b')], '/steps/0/arguments/value'],
  ['input_invalid', call('inner', '{ n: many }'), '/steps/0/input/n', inner(true)],
  [
    'operation_unknown',
    ['steps:', '  - { id: a, type: deterministic_command, operation: nothing }'],
    '/steps/0/operation',
  ],
  [
    'operation_forbidden',
    ['steps:', '  - { id: a, type: deterministic_command, operation: "rm -rf" }'],
    '/steps/0/operation',
  ],
  ['recipe_missing', ['steps:', '  - { id: a, type: recipe, recipe: none }'], '/steps/0/recipe'],
  ['agent_missing', ['steps:', '  - { id: a, type: agent, agent: none, goal: Do }'], '/steps/0/agent'],
  ['workflow_missing', call('other'), '/steps/0/workflow', inner(true)],
  ['workflow_cycle', call('coded'), '/steps/0/workflow', inner(true)],
  ['workflow_disabled', call('inner'), '/steps/0/workflow', inner(false)],
  ['tool_unknown', tool('crm', 'lose'), '/steps/0', TOOLS],
  ['mcp_unreachable', tool('erp', 'find'), '/steps/0', TOOLS],
  ['model_not_configured', ['steps:', say('a')], '/steps/0', { modelConfigured: () => false }],
  [
    'site_not_granted',
    ['sites: ["https://a.example/*"]', 'steps:', say('a')],
    '/sites',
    { missingOrigins: (sites) => sites },
  ],
  [
    'site_not_allowed',
    [
      'sites: ["https://a.example/*"]',
      'steps:',
      '  - { id: a, type: browser_action, action: navigate, arguments: { url: "https://b.example/" } }',
    ],
    '/steps/0/arguments/url',
  ],
  [
    'kb_document_missing',
    ['context: [policy]', 'steps:', say('a')],
    '/context/0',
    { missingDocuments: (names) => names },
  ],
  [
    'secret_missing',
    [
      'sites: ["https://a.example/*"]',
      'steps:',
      '  - { id: a, type: browser_action, action: fill, arguments: { target: { css: a }, value: "{{secret.pin}}" } }',
    ],
    '/steps/0',
    { secretNames: () => [] },
  ],
  ['secret_detected', ['steps:', value('a', Object.values(TOKENS)[0] as string)], '/steps/0/arguments/value'],
  ['condition_invalid', ['steps:', say('a', ', when: "1 +"')], '/steps/0/when'],
  ['template_invalid', ['steps:', value('a', '{{1 +}}')], '/steps/0/arguments/value'],
  ['path_implausible', ['steps:', say('a'), value('b', '{{step.a.words}}')], '/steps/1/arguments/value'],
  ['type_mismatch', ['steps:', say('a'), say('b', ', when: step.a.text')], '/steps/1/when'],
  [
    'maybe_skipped',
    [
      'steps:',
      '  - { id: c, type: condition, if: "true", then: [{ id: i, type: recipe, prompt: I }] }',
      value('b', '{{step.i.text}}'),
    ],
    '/steps/1/arguments/value',
  ],
  [
    'maybe_unsettled',
    ['steps:', say('a'), value('b', '{{step.a.text}}', ', dependsOn: []')],
    '/steps/1/arguments/value',
  ],
];

describe('every code of preflight is raised, with its place in the file', () => {
  it.each(ROWS)('%s', async (code, lines, at, outside = {}) => {
    const text = [...HEAD, ...lines].join('\n');
    const read = readWorkflow(text, 'w.yaml', registry);
    const definition = read.definition as WorkflowDefinition;
    const source = readWorkflowSource(text, { name: 'w.yaml' });
    const beyond = Object.keys(outside).length > 0 ? await checkEnvironment(definition, registry, outside) : [];
    const problems = [
      ...read.problems,
      ...beyond.map((problem) => ({ ...problem, ...source.locate(problem.pointer) })),
    ];
    const found = problems.filter((problem) => problem.code === code);
    expect(problems.map((problem) => problem.code)).toEqual([code]);
    const [{ pointer, line = 0, column = 0, message }] = found as [(typeof problems)[number]];
    const [wantedPointer, place] = at.split(' ');
    expect(pointer).toBe(wantedPointer);
    if (place) expect(`${line}:${column}`).toBe(place);
    const told = text.split('\n')[line - 1] ?? '';
    expect(told).not.toBe('');
    expect(column).toBeGreaterThan(0);
    expect(column).toBeLessThanOrEqual(told.length);
    expect(message.length).toBeGreaterThan(10);
  });

  it('input_invalid of a run', () => {
    expect(checkInput(INNER, {}).map(({ code, pointer }) => `${code} ${pointer}`)).toEqual(['input_invalid /inputs']);
  });
});
