import fc from 'fast-check';
import type { JsonObject } from '../../../src/model/json.ts';
import type { WorkflowDefinition } from '../../../src/model/workflow.ts';
import { workflow } from '../engine.ts';

/** Ids are given in the order of writing, so that every list refers only to what stands above. */
interface Ids {
  next: number;
}
type Build = (ids: Ids) => JsonObject;

const truth = fc.constantFrom('1 == 1', '1 == 1', '1 == 2');
const often = fc.constantFrom(undefined, undefined, undefined);
const maybe = <T>(arb: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 4, arbitrary: often }, { weight: 1, arbitrary: arb });

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
      fallback: maybe(fc.oneof(fc.constant('value' as const), lists)),
      onInterrupted: maybe(fc.constantFrom('retry', 'fail')),
      attempts: fc.integer({ min: 1, max: 3 }),
      verify: maybe(truth),
      when: maybe(truth),
      undo: maybe(fc.constantFrom('click', 'navigate')),
    })
    .map(({ action, attempts, fallback, verify, undo, ...more }) => (ids) => {
      const id = `s${ids.next++}`;
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
        fallback:
          fallback === undefined
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
  return fc.oneof(condition, loop, parallel);
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
function listsWith(more: fc.Arbitrary<Build>[]): fc.Memo<Build[]> {
  const lists: fc.Memo<Build[]> = fc.memo((depth) => {
    const leaf = fc.oneof(
      {
        weight: 4,
        arbitrary: actArb(
          depth > 1 ? lists(1) : fc.constant([(ids: Ids) => ({ id: `s${ids.next++}`, type: 'wait', for: '1s' })]),
        ),
      },
      { weight: 2, arbitrary: calc },
      { weight: 1, arbitrary: wait },
      { weight: 1, arbitrary: knowledge },
      { weight: 2, arbitrary: gate },
      { weight: 1, arbitrary: people },
      ...more.map((arbitrary) => ({ weight: 2, arbitrary })),
    );
    const one =
      depth > 1
        ? fc.oneof({ weight: 3, arbitrary: leaf }, { weight: 2, arbitrary: structures(lists(depth - 1)) })
        : leaf;
    const single = one.map((build) => [build]);
    return fc
      .array(fc.oneof({ weight: 5, arbitrary: single }, { weight: 1, arbitrary: coveredAct }), {
        minLength: 1,
        maxLength: 3,
      })
      .map((parts) => parts.flat());
  });
  return lists;
}

const whole = (lists: fc.Memo<Build[]>): fc.Arbitrary<WorkflowDefinition> =>
  fc
    .record({ list: lists(3), shape: fc.nat({ max: 4095 }), onFailure: fc.constantFrom('stop', 'finish', 'rollback') })
    .map(({ list, shape, onFailure }) =>
      workflow(listOf(list, { next: 0 }, shape), { onFailure, timeout: '2h', agents: AGENTS }),
    );

/** Random workflows: nested structures, edges, fallbacks, gates that cover acts. All pass preflight. */
export const workflows = whole(listsWith([]));
/** The same, with agents among their steps. */
export const workflowsWithAgents = whole(listsWith([agent]));
