import { planAt } from '../../../src/engine/calls/around.ts';
import type { Plan } from '../../../src/engine/plan.ts';
import type { JournalEvent } from '../../../src/model/events.ts';
import { isObject } from '../../../src/model/json.ts';
import type { RunRow, StepRunRow } from '../../../src/model/run.ts';
import type { Store } from '../../../src/ports/store.ts';

/** What a sample must have been to, or it says nothing about it: that it happened, and that the engine died while it was so. */
export const FEATURES = [
  ...[
    'child',
    'child two deep',
    'child failed',
    'child cancelled',
    'child undone',
    'child called again',
    'child asked',
  ],
  ...['child took a wait', 'agent turn', 'agent write', 'agent asked', 'agent went on for 3 turns', 'page seen'],
  'agent inside begins again',
  ...['early signal', 'waited for budget', 'budget raised', 'budget failed', 'cache hit', 'cached fallback', 'retry'],
  ...['rerun', 'rerun with a child reused', 'paused', 'emergency stop', 'recovery', 'fallback', 'verify', 'rollback'],
  ...['gate', 'covered act', 'late result', 'deadline'],
  ...['crash: child at work', 'crash: child two deep', 'crash: child waits', 'crash: child not yet begun'],
  ...['crash: child undone', 'crash: agent turn', 'crash: agent write', 'crash: agent asked', 'crash: once'],
  ...['crash: page', 'crash: signal', 'crash: budget', 'crash: approval', 'crash: recovery', 'crash: backoff'],
  ...['crash: paused', 'crash: emergency stop', 'crash: rollback', 'crash: after retry', 'crash: in rerun'],
] as const;
export type Feature = (typeof FEATURES)[number];

/** What a sample of two engines must have been to: they take no notice of each other in all the rest. */
export const OF_TWO: readonly Feature[] = [
  ...(['child', 'child two deep', 'child failed', 'child cancelled', 'child asked', 'child took a wait'] as const),
  ...(['agent turn', 'agent write', 'agent asked', 'waited for budget', 'budget raised', 'recovery', 'retry'] as const),
  ...(['rollback', 'gate', 'covered act', 'late result', 'deadline', 'crash: child at work'] as const),
  ...(['crash: child waits', 'crash: agent turn', 'crash: once', 'crash: signal', 'crash: approval'] as const),
  ...(['crash: child not yet begun', 'crash: recovery'] as const),
];

/** What one simulation has been to. */
export class Coverage {
  readonly found = new Set<Feature>();

  /** Looks at what is under way at the moment when the engine dies. */
  async crash(store: Store): Promise<void> {
    const add = (feature: Feature, when: boolean) => void (when && this.found.add(feature));
    add('crash: emergency stop', (await store.setting('engine'))?.stopped === true);
    for (const run of await store.runs({ status: ['running', 'waiting', 'paused'] })) {
      const rows = await store.steps(run.runId);
      const inAgent = (row: StepRunRow) => row.path.includes(']/') && rows.some((one) => isAgentOf(one, row));
      const events = await store.events(run.runId);
      add('crash: paused', run.status === 'paused');
      add(
        'crash: after retry',
        events.some(({ type }) => type === 'run.retried'),
      );
      add('crash: in rerun', run.rerunOf !== undefined);
      add('crash: rollback', run.undoing === true);
      add('crash: child undone', run.undoing === true && run.parent !== undefined);
      for (const row of rows) {
        const works = row.status === 'running';
        const kind = row.status === 'waiting' ? row.wait?.kind : undefined;
        const child = row.child === undefined ? undefined : await store.run(row.child);
        add('crash: child at work', works && child !== undefined);
        add('crash: child not yet begun', works && row.child !== undefined && child === undefined);
        add('crash: child two deep', works && child !== undefined && run.parent !== undefined);
        add('crash: child waits', row.status === 'waiting' && child !== undefined);
        add('crash: agent turn', works && row.stepId === 'model' && inAgent(row));
        add('crash: agent write', works && row.effect === 'once' && inAgent(row));
        add('crash: agent asked', kind === 'approval' && inAgent(row));
        add('crash: once', works && row.effect === 'once' && row.type === 'browser_action');
        add('crash: backoff', works && row.attempts.at(-1)?.delayMs !== undefined);
        for (const one of ['page', 'signal', 'budget', 'approval', 'recovery'] as const)
          add(`crash: ${one}`, kind === one);
      }
    }
  }

  /** Looks through the journal of a run that has ended. */
  journal(run: RunRow, events: readonly JournalEvent[], plan: Plan): void {
    const add = (feature: Feature, when: boolean) => void (when && this.found.add(feature));
    const { parent } = run;
    const inChild = parent !== undefined;
    add('child', inChild);
    add('child two deep', inChild && parent.root !== parent.runId);
    add('child failed', inChild && run.status === 'failed');
    add('child cancelled', inChild && run.status === 'cancelled');
    add('rerun', run.rerunOf !== undefined);
    const turns = new Map<string, number>();
    const waited = new Set<string>();
    let again = false;
    for (const { type, path = '', data } of events) {
      const call = planAt(plan, path)?.call;
      const wait = type === 'step.waiting' && isObject(data.wait) ? data.wait.kind : undefined;
      add('child asked', inChild && type === 'approval.requested');
      add('child took a wait', inChild && (wait === 'signal' || wait === 'page' || wait === 'timer'));
      add('child undone', inChild && type === 'run.undoing');
      add('child called again', type === 'run.retried' && typeof data.passage === 'number');
      // Of a further attempt of what holds it, not of a retry of the run.
      if (type === 'step.reopened' || type === 'run.retried') again = data.again === true;
      add('agent inside begins again', again && type === 'list.reopened' && planAt(plan, path)?.calls !== undefined);
      add('agent turn', call === 'model');
      add('agent write', call === 'tool' && type === 'step.started' && data.effect === 'once');
      add('agent asked', call === 'tool' && type === 'approval.requested');
      add('page seen', isObject(data.output) && data.output.wokenBy === 'page');
      add('waited for budget', wait === 'budget');
      add('budget raised', type === 'run.budget');
      add('budget failed', isObject(data.error) && data.error.code === 'budget_exceeded');
      add('cache hit', typeof data.cachedAt === 'number');
      add('cached fallback', type === 'step.holding' && data.why === 'cached');
      add('retry', type === 'run.retried' && data.passage === undefined);
      add('rerun with a child reused', type === 'step.reused' && data.child !== undefined);
      add('paused', type === 'run.paused' && data.by === 'person');
      add('emergency stop', type === 'run.paused' && data.by === 'emergency stop');
      add('recovery', wait === 'recovery');
      add('fallback', type === 'step.holding' && data.why === 'fallback');
      add('verify', type === 'step.holding' && data.why === 'verify');
      add('rollback', type === 'run.undoing');
      add('gate', type === 'approval.decided');
      add('covered act', type === 'step.started' && data.approvalId !== undefined);
      add('late result', type === 'attempt.late');
      add('deadline', isObject(data.error) && data.error.code === 'timeout');
      if (wait === 'signal') waited.add(path);
      if (type === 'signal.received' && waited.size === 0) waited.add('early');
      add('early signal', waited.has('early') && typeof data.signal === 'number');
      if (call === 'model' && type === 'step.completed') {
        const agent = path.replace(/\[\d+\]\/[^/]*$/, '');
        turns.set(agent, (turns.get(agent) ?? 0) + 1);
        add('agent went on for 3 turns', (turns.get(agent) ?? 0) >= 3);
      }
    }
  }
}

function isAgentOf(agent: StepRunRow, call: StepRunRow): boolean {
  return agent.type === 'agent' && call.path.replace(/\[\d+\]\/[^/]*$/, '') === agent.path;
}

/** How many simulations have been to each feature. */
export class Tally {
  readonly counts = new Map<Feature, number>();
  runs = 0;
  private readonly features: readonly Feature[];

  constructor(features: readonly Feature[] = FEATURES) {
    this.features = features;
  }

  add({ found }: Coverage): void {
    this.runs += 1;
    for (const feature of found) this.counts.set(feature, (this.counts.get(feature) ?? 0) + 1);
  }

  get missed(): Feature[] {
    return this.features.filter((feature) => !this.counts.has(feature));
  }

  /** One line a feature, for whoever runs this. */
  toString(): string {
    const lines = this.features.map((one) => `${this.counts.get(one) ?? 0} ${one}`);
    return [`of ${this.runs} simulations:`, ...lines].join('\n  ');
  }
}
