import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkDefinition, checkEnvironment, checkInput, readWorkflow } from '../../src/engine/preflight/index.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { registry } from '../../src/steps/index.ts';
import { TOKENS } from '../engine/secrets/tokens.ts';
import { click, gate, look, value, workflow } from '../support/engine.ts';

const codes = (definition: unknown, severity = 'error') =>
  checkDefinition(definition, registry)
    .filter((problem) => problem.severity === severity)
    .map((problem) => `${problem.code} ${problem.pointer}`);
const wrong = (steps: object[], more: object = {}) => codes(workflow(steps as JsonObject[], more as JsonObject));

describe('each code, at its place', () => {
  it.each<[string, object[], object, string]>([
    ['an unknown type', [{ id: 'a', type: 'magic' }], {}, 'schema_invalid /steps/0/type'],
    ['an unknown key', [value('a', 1, { colour: 'red' })], {}, 'schema_invalid /steps/0/colour'],
    ['an unknown action', [{ id: 'a', type: 'browser_action', action: 'fly' }], {}, 'schema_invalid /steps/0/action'],
    ['one id twice', [value('a', 1), value('a', 2)], {}, 'duplicate_id /steps/1/id'],
    [
      'one edge twice',
      [value('a', 1), value('b', 2, { dependsOn: ['a', 'a'] })],
      {},
      'duplicate_edge /steps/1/dependsOn/1',
    ],
    ['an id that would be a prototype', [value('__proto__', 1)], {}, 'schema_invalid /steps/0/id'],
    [
      'an edge that carries into what takes no input',
      [
        value('a', 1),
        { id: 'b', type: 'artifact', name: 'n', content: 'x', dependsOn: [{ step: 'a', input: 'content' }] },
      ],
      {},
      'schema_invalid /steps/1/dependsOn/0',
    ],
    ['inputs that are no object', [value('a', 1)], { inputs: { type: 'array' } }, 'schema_invalid /inputs/type'],
    [
      'inputs that are no schema',
      [value('a', 1)],
      { inputs: { type: 'nothing', properties: 5 } },
      'schema_invalid /inputs',
    ],
    [
      'an outputSchema that is no schema',
      [value('a', 1, { outputSchema: { pattern: '(' } })],
      {},
      'schema_invalid /steps/0/outputSchema',
    ],
    ['a loop name outside of loops', [value('a', '{{loop_item}}')], {}, 'not_visible /steps/0/arguments/value'],
    ['a named loop outside of it', [value('a', '{{loop.each.index}}')], {}, 'not_visible /steps/0/arguments/value'],
    ['a secret in a command', [value('a', '{{secret.pin}}')], {}, 'template_invalid /steps/0/arguments/value'],
    [
      'a secret in an expression',
      [click('a', { arguments: { target: { text: '{{secret.pin + "x"}}' } } })],
      {},
      'template_invalid /steps/0/arguments/target/text',
    ],
    ['an input where there is none', [value('a', '{{input.x}}')], {}, 'not_visible /steps/0/arguments/value'],
    ['an error outside of a fallback', [value('a', '{{error.code}}')], {}, 'not_visible /steps/0/arguments/value'],
    ['a review outside of a revision', [value('a', '{{review.comment}}')], {}, 'not_visible /steps/0/arguments/value'],
    ['a value outside of transform', [value('a', '{{value}}')], {}, 'not_visible /steps/0/arguments/value'],
    ['a step that names itself', [value('a', '{{step.a}}')], {}, 'not_visible /steps/0/arguments/value'],
    [
      'a container that names itself inside',
      [{ id: 'l', type: 'loop', over: [1], steps: [value('in', '{{step.l}}')] }],
      {},
      'not_visible /steps/0/steps/0/arguments/value',
    ],
    [
      'a gate that covers nothing',
      [gate('g', { covers: ['none'] }), value('b', 1)],
      {},
      'unknown_step /steps/0/covers',
    ],
    [
      'a gate that covers what does not act',
      [gate('g', { covers: ['b'] }), value('b', 1)],
      {},
      'schema_invalid /steps/0/covers',
    ],
    ['a cache of what acts', [click('a', { cache: { ttl: '1h' } })], {}, 'schema_invalid /steps/0/cache'],
    [
      'a fallback to a cache that is not there',
      [look('a', { fallback: { cached: true } })],
      {},
      'schema_invalid /steps/0/fallback',
    ],
    [
      'a recipe that sees more than its input',
      [{ id: 'a', type: 'recipe', recipe: 'r' }],
      { recipes: { r: { prompt: '{{step.b}}' } } },
      'not_visible /recipes/r/prompt',
    ],
    ['an edge to nothing', [value('a', 1, { dependsOn: ['x'] })], {}, 'unknown_step /steps/0/dependsOn/0'],
    [
      'a ring',
      [value('a', 1, { dependsOn: ['b'] }), value('b', 1, { dependsOn: ['a'] })],
      {},
      'cycle /steps/0/dependsOn',
    ],
    ['a name that is no step', [value('a', '{{step.x.y}}')], {}, 'unknown_step /steps/0/arguments/value'],
    ['a step that comes later', [value('a', '{{step.b}}'), value('b', 1)], {}, 'not_visible /steps/0/arguments/value'],
    [
      'a look into a loop',
      [{ id: 'l', type: 'loop', over: [1], steps: [value('in', 1)] }, value('b', '{{step.in}}')],
      {},
      'not_visible /steps/1/arguments/value',
    ],
    [
      'an unknown operation',
      [{ id: 'a', type: 'deterministic_command', operation: 'no.such' }],
      {},
      'operation_unknown /steps/0/operation',
    ],
    [
      'a shell',
      [{ id: 'a', type: 'deterministic_command', operation: 'rm -rf /; x' }],
      {},
      'operation_forbidden /steps/0/operation',
    ],
    ['a recipe that is not there', [{ id: 'a', type: 'recipe', recipe: 'none' }], {}, 'recipe_missing /steps/0/recipe'],
    ['a condition that cannot be read', [value('a', 1, { when: '1 ==' })], {}, 'condition_invalid /steps/0/when'],
    ['a template that cannot be read', [value('a', '{{ 1 + }}')], {}, 'template_invalid /steps/0/arguments/value'],
    [
      'a gate that covers what is before it',
      [click('a'), gate('g', { covers: ['a'] })],
      {},
      'not_visible /steps/1/covers',
    ],
    ['pages without sites', [look('a')], { sites: [] }, 'site_not_allowed /steps/0'],
    ['a step that is none', ['x', value('a', 1)] as never, {}, 'schema_invalid /steps/0'],
    ['a step without a type', [{ id: 'a' }], {}, 'schema_invalid /steps/0/type'],
    [
      'a condition without its if',
      [{ id: 'c', type: 'condition', then: [value('a', 1)] }],
      {},
      'schema_invalid /steps/0/if',
    ],
    [
      'a cache of what is said to act',
      [value('a', 1, { effect: 'once', cache: { ttl: '1h' } })],
      {},
      'schema_invalid /steps/0/cache',
    ],
    ['a timeout that is none', [look('a', { timeout: 'soon' })], {}, 'schema_invalid /steps/0/timeout'],
    [
      'a name with a dash that is read as a difference',
      [value('my-step', { t: 1 }), value('b', '{{step.my-step.t == 1}}')],
      {},
      'template_invalid /steps/1/arguments/value',
    ],
    [
      'a secret whose name is worked out',
      [
        {
          id: 'l',
          type: 'loop',
          over: ['a'],
          steps: [click('a', { arguments: { target: { text: '{{secret[loop_item]}}' } } })],
        },
      ],
      {},
      'template_invalid /steps/0/steps/0/arguments/target/text',
    ],
  ])('%s', (_, steps, more, want) => {
    expect(wrong(steps, more)).toContain(want);
  });

  it('a key three levels deep, a type and an action beside it: all at once, each with its pointer', () => {
    const deep = {
      id: 'c',
      type: 'condition',
      if: '1 == 1',
      then: [
        {
          id: 'p',
          type: 'parallel',
          branches: {
            x: [
              value('v', 1, { colour: 1 }),
              { id: 'm', type: 'magic' },
              { id: 'f', type: 'browser_action', action: 'fly' },
            ],
          },
        },
      ],
    };
    expect(wrong([{ id: 'l', type: 'loop', over: [1], steps: [deep] }])).toEqual(
      expect.arrayContaining(
        ['colour', 'type'].map((key, n) => `schema_invalid /steps/0/steps/0/then/0/branches/x/${n}/${key}`),
      ),
    );
  });

  it('engine-29: the same in a file: line and column of each', () => {
    const text = [
      'format: tabloom/v1',
      'id: w',
      'name: W',
      'steps:',
      '  - id: l',
      '    type: loop',
      '    over: [1]',
      '    steps:',
      '      - { id: v, type: deterministic_command, operation: identity, colour: red }',
      '      - { id: m, type: magic }',
    ].join('\n');
    const { problems } = readWorkflow(text, 'w.yaml', registry);
    expect(problems.map(({ pointer, line }) => [pointer, line])).toEqual([
      ['/steps/0/steps/0/colour', 9],
      ['/steps/0/steps/1/type', 10],
    ]);
    expect(problems.every((problem) => (problem.column ?? 0) > 1)).toBe(true);
  });

  it('warnings do not refuse: a branch that may not run, a step that may not have settled', () => {
    const branch = { id: 'c', type: 'condition', if: '1 == 1', then: [value('in', 1)] };
    const definition = workflow([
      branch as never,
      value('a', '{{step.in}}'),
      value('b', '{{step.a}}', { dependsOn: ['c'] }),
    ]);
    expect(codes(definition)).toEqual([]);
    expect(codes(definition, 'warning').map((line) => line.split(' ')[0])).toEqual([
      'maybe_skipped',
      'maybe_unsettled',
    ]);
  });

  it('paths that the schemas know nothing of: of an input, of a list in an output, of a recipe; a step named at run time is not guessed at', () => {
    const rows = {
      type: 'object',
      properties: { rows: { type: 'array', items: { type: 'object', properties: { n: {} } } } },
    };
    const definition = workflow(
      [
        value('a', 1, { outputSchema: rows }),
        value('b', '{{step.a.rows[0].n}} {{step.a.rows[0].m}} {{workflow_input.url}} {{workflow_input.uri}}'),
        value('c', '{{has(workflow_input.gone) ? workflow_input.gone : 1}}'),
        { id: 'l', type: 'loop', over: ['a'], steps: [value('d', '{{step[loop_item]}}')] },
        { id: 'r', type: 'recipe', recipe: 'r', input: { line: 1 } },
      ],
      {
        inputs: { type: 'object', properties: { url: { type: 'string' } } },
        recipes: {
          r: { prompt: '{{input.line}} {{input.tone}}', inputSchema: { type: 'object', properties: { line: {} } } },
        },
      },
    );
    expect(codes(definition)).toEqual([]);
    expect(checkDefinition(definition, registry).map(({ message }) => message)).toEqual([
      expect.stringContaining('step.a.rows[0].m'),
      expect.stringContaining('workflow_input.uri'),
      expect.stringContaining('input.tone'),
    ]);
  });

  it('a fault of a step type itself: is not taken for one of the file', () => {
    const broken = new Map(registry).set('agent', {
      ...(registry.get('agent') as NonNullable<ReturnType<typeof registry.get>>),
      calls: () => {
        throw new TypeError('a bug');
      },
    });
    const definition = workflow([{ id: 'a', type: 'agent', agent: 'x', goal: 'y' }], {
      agents: { x: { instructions: 'z' } },
    });
    expect(() => checkDefinition(definition, broken)).toThrow(TypeError);
  });

  it('a file with a secret in it, and one that is no object: told once, without the secret; there is nothing to save', () => {
    const token = TOKENS.github_token as string;
    const read = readWorkflow(
      JSON.stringify(workflow([{ id: 'a', type: 'recipe', prompt: `Use ${token}` }])),
      'w.json',
      registry,
    );
    expect(read.problems.map(({ code }) => code)).toEqual(['secret_detected']);
    expect(JSON.stringify(read.problems)).not.toContain(token);
    const list = readWorkflow('[1]', 'w.yaml', registry);
    expect([list.definition, list.problems[0]?.code]).toEqual([undefined, 'schema_invalid']);
  });

  it('what a called workflow lacks, at any depth, is told once at the step that leads to it', async () => {
    const ask = { id: 'r', type: 'recipe', prompt: 'Hi' };
    const other = (id: string, steps: JsonObject[], more: JsonObject = {}) => ({
      ...workflow(steps, more),
      id,
      name: id,
    });
    const library = {
      deep: other('deep', [ask]),
      deeper: other('deeper', [ask, { id: 'c', type: 'subworkflow', workflow: 'deep' }]),
    };
    const found = await checkEnvironment(workflow([{ id: 'c', type: 'subworkflow', workflow: 'deeper' }]), registry, {
      modelConfigured: () => false,
      workflow: (id) => {
        const definition = library[id as keyof typeof library];
        return definition && { revision: id, definition, enabled: true };
      },
    });
    expect(found.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual(['model_not_configured /steps/0']);
  });

  describe('the input of a called workflow, as far as it is written', () => {
    const target = {
      ...workflow([value('a', 1)], {
        inputs: {
          type: 'object',
          required: ['n'],
          properties: { n: { type: 'number' }, list: { type: 'array', items: { type: 'number' } } },
          additionalProperties: false,
        },
      }),
      id: 'target',
      name: 'Target',
    };
    const unfit = async (more: JsonObject, inputs: JsonObject = target.inputs as JsonObject) => {
      const steps = [value('v', { x: 1 }), { id: 'c', type: 'subworkflow', workflow: 'target', ...more }];
      const found = await checkEnvironment(workflow(steps), registry, {
        workflow: () => ({ revision: 'r', definition: { ...target, inputs }, enabled: true }),
      });
      return found.map(({ code, pointer }) => `${code} ${pointer}`);
    };
    it.each<[string, JsonObject, string[]]>([
      ['all of it, and it fits', { input: { n: 1, list: [2] } }, []],
      ['a value of another type', { input: { n: 'x' } }, ['input_invalid /steps/1/input/n']],
      ['something is missing', { input: {} }, ['input_invalid /steps/1/input']],
      ['from somewhere else as a whole', { input: { from: 'previousStep', step: 'v' } }, []],
      ['an edge brings all of it', { dependsOn: [{ step: 'v', output: 'x' }], input: { n: 'x' } }, []],
      ['an edge brings one name', { dependsOn: [{ step: 'v', output: 'x', input: 'n' }], input: { list: [1] } }, []],
      [
        'an edge brings another name',
        { dependsOn: [{ step: 'v', output: 'x', input: 'list' }], input: {} },
        ['input_invalid /steps/1/input'],
      ],
      [
        'a template beside what does not fit and what nobody knows',
        { input: { n: '{{step.v.x}}', list: ['y'], more: 1 } },
        ['input_invalid /steps/1/input/list/0', 'input_invalid /steps/1/input'],
      ],
      ['a template inside a list', { input: { n: 1, list: ['{{step.v.x}}'] } }, []],
      ['a source in one field', { input: { n: { from: 'previousStep', step: 'v', path: 'x' } } }, []],
    ])('%s', async (_, more, want) => {
      expect(await unfit(more)).toEqual(want);
    });

    it('a workflow that says less of its input takes more', async () => {
      expect(await unfit({ input: { n: '{{step.v.x}}', more: 1 } }, { type: 'object' })).toEqual([]);
    });
  });

  it('tools of a server: one without any, an edge that brings all arguments, and what is missing from them', async () => {
    const call = (tool: string, more: JsonObject = {}) => ({ id: tool, type: 'mcp_tool', server: 's', tool, ...more });
    const look = async (steps: JsonObject[], tools: JsonObject[]) => {
      const found = await checkEnvironment(workflow(steps), registry, { mcpTools: async () => tools as never });
      return found.map(({ code, pointer, message }) => `${code} ${pointer} ${message}`);
    };
    const find = { name: 'find', inputSchema: { type: 'object', required: ['who'] } };
    expect(await look([call('find')], [])).toEqual([
      'tool_unknown /steps/0 The MCP server "s" has no tool "find": choose one of another server.',
    ]);
    expect(await look([call('find')], [find])).toEqual([
      'input_invalid /steps/0/arguments Correct the arguments of find: the value lacks "who".',
    ]);
    const carried = call('find', { dependsOn: [{ step: 'v', output: 'x' }] });
    expect(await look([value('v', { x: {} }), carried], [find])).toEqual([]);
  });

  it('what only the outside knows: model, grant, secret', async () => {
    const steps = [
      { id: 'r', type: 'recipe', prompt: 'Hi' },
      click('a', { arguments: { target: { text: '{{secret.pin}}' } } }),
    ];
    const found = await checkEnvironment(workflow(steps), registry, {
      modelConfigured: () => false,
      missingOrigins: (sites) => sites,
      secretNames: () => [],
    });
    expect(found.map((problem) => problem.code).sort()).toEqual([
      'model_not_configured',
      'secret_missing',
      'site_not_granted',
    ]);
  });

  it('a picture without access to all sites: a warning, wherever the step is; with it, none', async () => {
    const shot = { id: 's', type: 'browser_action', action: 'screenshot' };
    const steps = [click('a'), { id: 'p', type: 'parallel', branches: { one: [shot] } }];
    const look = (missingOrigins: (sites: string[]) => string[]) =>
      checkEnvironment(workflow(steps), registry, { missingOrigins });
    expect(await look((sites) => sites.filter((site) => site === '<all_urls>'))).toMatchObject([
      { code: 'site_not_granted', severity: 'warning', pointer: '/steps/1/branches/one/0', step: 's' },
    ]);
    expect(await look(() => [])).toEqual([]);
    const without = await checkEnvironment(workflow([click('a')]), registry, {
      missingOrigins: (sites) => sites.filter((site) => site === '<all_urls>'),
    });
    expect(without).toEqual([]);
  });

  it('a key of the product itself is no secret of a workflow, however it is written', async () => {
    const value = '{{secret["model:openai"]}}';
    const found = await checkEnvironment(workflow([click('a', { arguments: { target: { text: value } } })]), registry, {
      secretNames: () => ['model:openai'],
    });
    expect(found).toMatchObject([{ code: 'secret_missing', message: expect.stringContaining('model:openai') }]);
  });

  it('an input that does not fit: input_invalid with its pointer', () => {
    const definition = workflow([value('a', 1)], {
      inputs: { type: 'object', required: ['url'], properties: { n: { type: 'number' } } },
    });
    expect(checkInput(definition, { n: 'x' }).map((problem) => problem.code)).toContain('input_invalid');
    expect(checkInput(definition, { url: 'x', n: 1 })).toEqual([]);
  });
});

describe('anything at all', () => {
  it('is never thrown at: arbitrary JSON ends in a list of problems', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (file) => {
        expect(checkDefinition(file, registry).length).toBeGreaterThan(0);
      }),
      { numRuns: 500, seed: 7 },
    );
  });

  it('is never thrown at: files with wrong members at any key', () => {
    const keys = [
      'id',
      'type',
      'dependsOn',
      'when',
      'if',
      'then',
      'steps',
      'branches',
      'over',
      'covers',
      'fallback',
      'verify',
      'arguments',
      'retry',
      'operation',
      'show',
      'timeout',
      'collect',
      'editable',
      'outputSchema',
    ];
    const types = [...registry.keys(), 'agent', 'magic'];
    const step: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
      step: fc
        .tuple(
          fc.constantFrom(...types),
          fc.dictionary(
            fc.constantFrom(...keys),
            fc.oneof(
              { depthSize: 'xsmall', withCrossShrink: true },
              fc.jsonValue(),
              fc.array(tie('step'), { maxLength: 2 }),
              fc.constantFrom('{{step.a}}', '{{', '1 ==', 'a'),
            ),
          ),
        )
        .map(([type, more]) => ({ id: 'a', type, ...more })),
    })).step;
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 4 }),
        fc.dictionary(fc.constantFrom('inputs', 'recipes', 'output', 'defaults', 'sites', 'triggers'), fc.jsonValue()),
        (steps, more) => {
          expect(
            Array.isArray(checkDefinition({ format: 'tabloom/v1', id: 'w', name: 'W', steps, ...more }, registry)),
          ).toBe(true);
        },
      ),
      { numRuns: 120, seed: 7 },
    );
  }, 60_000);

  it('a file of 3 000 steps in a row, each with a look at the one before, and 20 000 backwards: it ends', () => {
    const ahead = Array.from({ length: 3000 }, (_, n) => value(`s${n}`, n === 0 ? 1 : `{{step.s${n - 1}}}`));
    expect(codes(workflow(ahead))).toEqual([]);
    const back = Array.from({ length: 20_000 }, (_, n) =>
      value(`s${n}`, 1, { dependsOn: n === 19_999 ? [] : [`s${n + 1}`] }),
    );
    expect(codes(workflow(back))).toEqual([]);
  }, 60_000);

  it('a file nested 2 000 deep: refused, not thrown', () => {
    let inner: Json = [value('x', 1)];
    for (let n = 0; n < 2000; n++) inner = [{ id: `c${n}`, type: 'condition', if: '1 == 1', then: inner }];
    expect(codes(workflow(inner as JsonObject[]))).toEqual(['schema_invalid ']);
  });
});

it('a misspelt key, a wrong duration and a reference to nothing: a fault of one kind hides none of another', () => {
  const steps = [
    value('a', 1, { retires: 3 }),
    value('b', '{{step.ghost}}'),
    { id: 'c', type: 'wait', for: '{{step.a' },
  ];
  expect(wrong(steps)).toEqual([
    'schema_invalid /steps/0/retires',
    'unknown_step /steps/1/arguments/value',
    'template_invalid /steps/2/for',
  ]);
});
