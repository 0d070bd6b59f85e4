import fc from 'fast-check';
import { isObject, type Json, type JsonObject } from '../../../src/model/json.ts';
import type { WorkflowDefinition } from '../../../src/model/workflow.ts';
import { workflow } from '../engine.ts';

/** One of some, as often as they say: without this the first ones would be chosen the more often the deeper a value is. */
export const some = ((...given: fc.MaybeWeightedArbitrary<unknown>[]) =>
  fc.oneof({ depthSize: 'max' }, ...given)) as unknown as typeof fc.oneof;

/** Ids are given in the order of writing, so that every list refers only to what stands above. */
interface Ids {
  next: number;
}
type Build = (ids: Ids) => JsonObject;

const truth = fc.constantFrom('1 == 1', '1 == 1', '1 == 2');
const often = fc.constantFrom(undefined, undefined, undefined);
const maybe = <T>(arb: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  some({ weight: 4, arbitrary: often }, { weight: 1, arbitrary: arb });

function clean(step: Record<string, unknown>): JsonObject {
  return Object.fromEntries(Object.entries(step).filter(([, value]) => value !== undefined)) as JsonObject;
}

const ACTIONS = {
  click: { arguments: { target: { text: 'Go' } } },
  navigate: { arguments: { url: 'https://app.example/' } },
  snapshot: { arguments: {} },
} as const;

function actArb(lists: fc.Arbitrary<Build[]>): fc.Arbitrary<Build> {
  return fc
    .record({
      action: fc.constantFrom('click', 'click', 'navigate', 'snapshot'),
      onError: maybe(fc.constantFrom('skip', 'continue')),
      fallback: maybe(some(fc.constant('value' as const), lists)),
      onInterrupted: maybe(fc.constantFrom('retry', 'fail')),
      attempts: fc.integer({ min: 1, max: 3 }),
      verify: some({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: truth }),
      when: maybe(truth),
      undo: fc.constantFrom(undefined, undefined, 'click' as const, 'navigate' as const),
      cached: fc.constantFrom('no', 'keeps', 'falls back'),
    })
    .map(({ action, attempts, fallback, verify, undo, cached, ...more }) => (ids) => {
      const id = `s${ids.next++}`;
      // All looks of a workflow are the same one, so that what one has kept is there for the others.
      const keeps = action === 'snapshot' && cached !== 'no';
      const look = verify && {
        steps: [{ id: `s${ids.next++}`, type: 'browser_action', action: 'snapshot', arguments: {}, timeout: '5s' }],
        done: verify,
      };
      return clean({
        id,
        type: 'browser_action',
        action,
        ...ACTIONS[action as keyof typeof ACTIONS],
        timeout: '10s',
        retry: { maxAttempts: attempts, delay: '2s', jitter: false },
        cache: keeps ? { ttl: '1h' } : undefined,
        fallback:
          keeps && cached === 'falls back'
            ? { cached: true }
            : fallback === undefined
              ? undefined
              : fallback === 'value'
                ? { value: 'instead' }
                : { steps: listOf(fallback, ids) },
        verify: look,
        compensate: undo && [
          {
            id: `s${ids.next++}`,
            type: 'browser_action',
            action: undo,
            ...ACTIONS[undo as keyof typeof ACTIONS],
            timeout: '10s',
          },
        ],
        ...more,
      });
    });
}

const calc: fc.Arbitrary<Build> = fc
  .record({
    when: maybe(truth),
    onError: maybe(fc.constantFrom('skip', 'continue')),
    good: fc.constantFrom(true, true, true, false),
  })
  .map(
    ({ good, ...more }) =>
      (ids) =>
        clean({
          id: `s${ids.next++}`,
          type: 'deterministic_command',
          ...(good
            ? { operation: 'identity', arguments: { value: ids.next } }
            : { operation: 'json.parse', arguments: { text: '{' } }),
          ...more,
        }),
  );

/** A write to the knowledge base, all to one document, or a look at it. */
const knowledge: fc.Arbitrary<Build> = fc
  .constantFrom<JsonObject>(
    { type: 'kb_write', document: 'notes', content: 'word', mode: 'append' },
    { type: 'kb_write', document: 'notes', content: 'word' },
    { type: 'kb_search', query: 'word' },
  )
  .map((what) => (ids) => ({ id: `s${ids.next++}`, ...what }));

/** What a step that holds others is tried again for, in some of them. */
const RETRIED = ['timeout', 'bad_request', 'element_not_found', 'operation_failed', 'cancelled', 'internal'];

const wait: fc.Arbitrary<Build> = fc
  .constantFrom<JsonObject>(
    { for: '5s' },
    { signal: 'go' },
    { signal: 'go', timeout: '30s' },
    { signal: 'go', timeout: '30s', retry: { maxAttempts: 2, delay: '3s', jitter: false } },
    { for: '0s' },
    { page: { url: 'https://app.example/done*' }, timeout: '30s' },
  )
  .map((how) => (ids) => ({ id: `s${ids.next++}`, type: 'wait', ...how }));

const gate: fc.Arbitrary<Build> = fc
  .record({
    onReject: maybe(fc.constant('continue')),
    expiresAfter: maybe(fc.constant('20s')),
    fallback: maybe(fc.constant({ value: 1 })),
    timeout: maybe(fc.constant('15s')),
    retry: maybe(fc.constant({ maxAttempts: 2, delay: '3s', jitter: false })),
  })
  .map((more) => (ids) => clean({ id: `s${ids.next++}`, type: 'approval', title: 'May it?', ...more }));

const people: fc.Arbitrary<Build> = fc
  .record({
    kind: fc.constantFrom('task', 'review', 'review'),
    revise: maybe(fc.constantFrom('click', 'snapshot')),
    timeout: maybe(fc.constant('30s')),
    retry: maybe(fc.constant({ maxAttempts: 2, delay: '3s', jitter: false })),
    onError: maybe(fc.constantFrom('skip', 'continue')),
  })
  .map(({ kind, revise, ...more }) => (ids) => {
    const id = `s${ids.next++}`;
    if (kind === 'task') return clean({ id, type: 'task', title: 'Do it', ...more });
    const change = revise && [
      {
        id: `s${ids.next++}`,
        type: 'browser_action',
        action: revise,
        ...ACTIONS[revise as keyof typeof ACTIONS],
        timeout: '10s',
      },
    ];
    return clean({
      id,
      type: 'review',
      title: 'Read it',
      content: 'text',
      revise: change,
      expiresAfter: '1h',
      ...more,
    });
  });

/** A question to a model, which costs tokens. */
const ask: fc.Arbitrary<Build> = fc
  .record({
    attempts: fc.integer({ min: 1, max: 2 }),
    cached: fc.constantFrom(false, false, true),
    onError: maybe(fc.constantFrom('skip', 'continue')),
  })
  .map(
    ({ attempts, cached, ...more }) =>
      (ids) =>
        clean({
          id: `s${ids.next++}`,
          type: 'recipe',
          prompt: 'Say something',
          maxTokens: 50,
          timeout: '10s',
          retry: { maxAttempts: attempts, delay: '2s', jitter: false },
          cache: cached ? { ttl: '1h' } : undefined,
          ...more,
        }),
  );

/** A call of another workflow. */
const call = (workflow: string): fc.Arbitrary<Build> =>
  fc
    .record({
      input: maybe(fc.constantFrom({ n: 1 }, { n: 2 })),
      timeout: maybe(fc.constantFrom('20s', '90s')),
      attempts: maybe(fc.constant({ maxAttempts: 2, delay: '2s', jitter: false, on: ['bad_request', 'network'] })),
      onError: maybe(fc.constantFrom('skip', 'continue')),
      fallback: maybe(fc.constant({ value: 'instead' })),
      undo: fc.constantFrom(undefined, 'navigate' as const),
    })
    .map(({ attempts, undo, ...more }) => (ids) => {
      const id = `s${ids.next++}`;
      const compensate = undo && [
        { id: `s${ids.next++}`, type: 'browser_action', action: undo, ...ACTIONS[undo], timeout: '10s' },
      ];
      return clean({ id, type: 'subworkflow', workflow, retry: attempts, compensate, ...more });
    });

/** An agent with a look and two writes; one of the writes only where its step allows it. */
const agent: fc.Arbitrary<Build> = fc
  .record({
    approve: fc.constantFrom('none', 'none', 'writes', 'all'),
    tools: maybe(fc.constant(['browser_snapshot', 'browser_click'])),
    attempts: fc.integer({ min: 1, max: 3 }),
    maxTurns: maybe(fc.integer({ min: 1, max: 3 })),
    onInterrupted: maybe(fc.constantFrom('retry', 'fail', 'ask')),
    onError: maybe(fc.constantFrom('skip', 'continue')),
    fallback: maybe(fc.constant({ value: 'instead' })),
  })
  .map(
    ({ attempts, ...more }) =>
      (ids) =>
        clean({
          id: `s${ids.next++}`,
          type: 'agent',
          agent: 'helper',
          goal: 'Go on',
          timeout: '10s',
          retry: { maxAttempts: attempts, delay: '2s', jitter: false },
          ...more,
        }),
  );
/** An agent inside of a step that is tried again, or runs out of its time. */
const heldAgent: fc.Arbitrary<Build> = fc.tuple(agent, maybe(fc.constant('15s'))).map(([build, timeout]) => (ids) => {
  const id = `s${ids.next++}`;
  const retry = { maxAttempts: 3, delay: '3s', jitter: false, on: RETRIED };
  return clean({ id, type: 'condition', if: 'true', timeout, retry, then: [build(ids)] });
});
const AGENTS = {
  helper: { instructions: 'Help', tools: ['browser_snapshot', 'browser_click', 'browser_navigate'], maxTurns: 6 },
};

/** A list of steps: one after another, side by side, or with edges of their own. */
function listOf(builds: Build[], ids: Ids, shape = 0): JsonObject[] {
  const steps = builds.map((build) => build(ids));
  return steps.map((step, index) => {
    const way = (shape >> (index * 2)) & 3;
    if (way === 0 || index === 0) return step;
    const covered = (steps[index - 1]?.covers as string[] | undefined)?.includes(step.id as string);
    if (way === 1) return covered ? step : { ...step, dependsOn: [] };
    const first = steps[0]?.id as string;
    const last = steps[index - 1]?.id as string;
    if (way === 2) return { ...step, dependsOn: [{ step: first, when: '1 == 2' }, ...(last === first ? [] : [last])] };
    return { ...step, dependsOn: [...new Set([first, last])], join: 'all' };
  });
}

function structures(lists: fc.Arbitrary<Build[]>): fc.Arbitrary<Build> {
  const shaped = fc.tuple(lists, fc.nat({ max: 255 }));
  const again = fc
    .record({ maxAttempts: fc.constantFrom(2, 3), on: fc.constantFrom(RETRIED, undefined) })
    .map((more) => clean({ delay: '3s', jitter: false, ...more }));
  const bounds = { retry: maybe(again), timeout: maybe(fc.constant('40s')) };
  const common = {
    ...bounds,
    when: maybe(truth),
    onError: maybe(fc.constantFrom('skip', 'continue')),
    fallback: maybe(lists),
  };
  const withFallback = (fallback: Build[] | undefined, ids: Ids) =>
    fallback ? { steps: listOf(fallback, ids) } : undefined;
  const condition = fc.record({ if: truth, a: shaped, b: maybe(shaped), ...common }).map(
    ({ a, b, fallback, ...more }): Build =>
      (ids) =>
        clean({
          id: `s${ids.next++}`,
          type: 'condition',
          ...more,
          then: listOf(a[0], ids, a[1]),
          else: b && listOf(b[0], ids, b[1]),
          fallback: withFallback(fallback, ids),
        }),
  );
  const loop = fc
    .record({
      count: fc.integer({ min: 0, max: 4 }),
      concurrency: fc.integer({ min: 1, max: 3 }),
      onItemError: maybe(fc.constant('continue')),
      body: shaped,
      ...common,
    })
    .map(
      ({ count, body, fallback, ...more }): Build =>
        (ids) =>
          clean({
            id: `s${ids.next++}`,
            type: 'loop',
            over: Array.from({ length: count }, (_, n) => n),
            ...more,
            steps: listOf(body[0], ids, body[1]),
            fallback: withFallback(fallback, ids),
          }),
    );
  const parallel = fc
    .record({
      branches: fc.array(shaped, { minLength: 1, maxLength: 3 }),
      onBranchError: maybe(fc.constant('continue')),
      ...common,
    })
    .map(
      ({ branches, fallback, ...more }): Build =>
        (ids) =>
          clean({
            id: `s${ids.next++}`,
            type: 'parallel',
            ...more,
            branches: Object.fromEntries(branches.map(([list, shape], n) => [`b${n}`, listOf(list, ids, shape)])),
            fallback: withFallback(fallback, ids),
          }),
    );
  return some(condition, loop, parallel);
}

/** A gate with the act that it covers, and that act. */
const coveredAct: fc.Arbitrary<Build[]> = fc.tuple(gate, fc.constantFrom('click', 'navigate')).map(([ask, action]) => {
  let covered: JsonObject = {};
  return [
    (ids: Ids) => {
      const step = ask(ids);
      covered = {
        id: `s${ids.next++}`,
        type: 'browser_action',
        action,
        ...ACTIONS[action as keyof typeof ACTIONS],
        timeout: '10s',
      };
      return { ...step, covers: [covered.id as string] };
    },
    () => covered,
  ] as Build[];
});

/** Lists of steps up to a depth, of all leaves and some more. */
function listsWith(more: fc.Arbitrary<Build>[], maxLength = 3): fc.Memo<Build[]> {
  const lists: fc.Memo<Build[]> = fc.memo((depth) => {
    const leaf = some(
      {
        weight: 4,
        arbitrary: actArb(
          depth > 1 ? lists(1) : fc.constant([(ids: Ids) => ({ id: `s${ids.next++}`, type: 'wait', for: '1s' })]),
        ),
      },
      { weight: 2, arbitrary: calc },
      { weight: 2, arbitrary: wait },
      { weight: 1, arbitrary: knowledge },
      { weight: 2, arbitrary: gate },
      { weight: 1, arbitrary: people },
      ...more.map((arbitrary) => ({ weight: 3, arbitrary })),
    );
    const one =
      depth > 1 ? some({ weight: 3, arbitrary: leaf }, { weight: 2, arbitrary: structures(lists(depth - 1)) }) : leaf;
    const single = one.map((build) => [build]);
    return fc
      .array(some({ weight: 5, arbitrary: single }, { weight: 1, arbitrary: coveredAct }), {
        minLength: 1,
        maxLength,
      })
      .map((parts) => parts.flat());
  });
  return lists;
}

/** A workflow and those that it calls. All are stored before it starts. */
export interface Family {
  definition: WorkflowDefinition;
  called: WorkflowDefinition[];
}

const ends = fc.constantFrom('stop', 'finish', 'rollback', 'rollback');
const budget = some(
  { weight: 2, arbitrary: fc.constant(undefined) },
  {
    weight: 1,
    arbitrary: fc.record({ tokens: fc.constantFrom(150, 400), onExceeded: fc.constantFrom('ask', 'ask', 'fail') }),
  },
);

/** What a workflow begins and ends with that has something to undo. */
const undoable: Build = (ids) => ({
  id: `s${ids.next++}`,
  type: 'browser_action',
  action: 'click',
  ...ACTIONS.click,
  timeout: '10s',
  compensate: [
    { id: `s${ids.next++}`, type: 'browser_action', action: 'navigate', ...ACTIONS.navigate, timeout: '10s' },
  ],
});
const failing: Build = (ids) => ({
  id: `s${ids.next++}`,
  type: 'deterministic_command',
  operation: 'json.parse',
  arguments: { text: '{' },
});

function whole(id: string, lists: fc.Arbitrary<Build[]>): fc.Arbitrary<WorkflowDefinition> {
  return fc
    .record({
      list: lists,
      shape: fc.nat({ max: 4095 }),
      onFailure: ends,
      budget,
      doomed: fc.constantFrom(false, false, true),
    })
    .map(({ list, shape, onFailure, budget: limit, doomed }) => {
      const steps = listOf(doomed ? [undoable, ...list, failing] : list, { next: 0 }, shape);
      const more = { id, name: id, onFailure, timeout: '2h', agents: AGENTS, output: { of: id } };
      return workflow(steps, limit ? { ...more, budget: limit as JsonObject } : more);
    });
}

/** A list that has one of these steps in it, first or last. */
const having = (lists: fc.Arbitrary<Build[]>, one: fc.Arbitrary<Build>): fc.Arbitrary<Build[]> =>
  fc.tuple(lists, one, fc.boolean()).map(([list, build, last]) => (last ? [...list, build] : [build, ...list]));

const small = listsWith([agent, ask], 2)(1);
const early: fc.Arbitrary<Build> = fc.constant((ids) => ({ id: `s${ids.next++}`, type: 'wait', signal: 'go' }));
const inner = whole('inner', some(small, having(small, agent), having(small, early)));
const between = listsWith([call('inner'), agent, ask], 2)(1);
const middle = whole('middle', some(between, having(small, call('inner'))));
const deep = listsWith([agent, ask])(3);
const alone = whole('w', some(deep, having(deep, some(agent, heldAgent)), having(deep, early)));
const calling = whole('w', having(listsWith([agent, ask, call('inner'), call('middle')], 2)(2), call('middle')));

/** Random workflows: nested structures, edges, fallbacks, gates that cover acts, agents, and in half of them calls two deep. All pass preflight. */
export const families: fc.Arbitrary<Family> = some(
  { weight: 2, arbitrary: alone.map((definition) => ({ definition, called: [] })) },
  {
    weight: 3,
    arbitrary: fc.tuple(calling, middle, inner).map(([definition, ...called]) => ({ definition, called })),
  },
);

/** Keys of steps that make what comes out depend on when something happens. */
const TIMED = ['timeout', 'expiresAfter', 'cache', 'verify', 'onInterrupted'];

/** The same workflow without anything that a delay could change, so that what comes out is known whatever happens on the way. */
export function untimed<T extends Json>(value: T): T {
  if (Array.isArray(value)) return value.map(untimed) as T;
  if (!isObject(value)) return value;
  const isStep = typeof value.id === 'string' && typeof value.type === 'string';
  const works = value.type === 'browser_action' || value.type === 'agent' || value.type === 'recipe';
  const kept = Object.entries(value).filter(
    ([key, of]) =>
      !(isStep && TIMED.includes(key) && !(key === 'timeout' && works)) &&
      !(key === 'fallback' && isObject(of) && of.cached === true),
  );
  const plain = Object.fromEntries(kept.map(([key, of]) => [key, untimed(of)])) as JsonObject;
  if (isObject(plain.budget)) plain.budget = { ...plain.budget, onExceeded: 'ask' };
  return plain as T;
}
