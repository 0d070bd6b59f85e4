import fc from 'fast-check';
import type { Fault } from './faulty-store.ts';
import { type Family, some } from './workflows.ts';

/** How the outside answers one call. */
export type Answer =
  | { kind: 'ok' | 'hang' }
  | { kind: 'late'; ms: number }
  | { kind: 'error'; code: string; acted?: boolean };

/** What is done to the runs next. Numbers choose among what is there at that moment. */
export type Deed =
  | { do: 'next' }
  | { do: 'sleep'; ms: number }
  | { do: 'decide'; which: number; yes: boolean; wrong: boolean; twice: boolean }
  | { do: 'recover'; which: number; say: 'retry' | 'done' | 'fail' }
  | { do: 'wake' | 'seen'; which: number }
  | { do: 'people'; which: number; say: 'accept' | 'edit' | 'request_changes' | 'reject'; wrong: boolean }
  | { do: 'pause' | 'resume' | 'cancel'; which: number }
  | { do: 'signal' | 'retry' | 'raise' | 'stop' | 'lift' | 'crash' | 'alarm' }
  | { do: 'arm'; fault: Fault; commits: number };

export interface Script extends Family {
  answers: Answer[];
  deeds: Deed[];
  /** After the end: how often the run is retried where it can be, and the step that it is run again from. */
  retries: number;
  rerun?: number;
}

const codes = fc.constantFrom(
  { code: 'element_not_found' },
  { code: 'network' },
  { code: 'network', acted: true },
  { code: 'network', acted: false },
  { code: 'bad_request' },
  { code: 'tab_closed' },
);

export const answers: fc.Arbitrary<Answer[]> = fc.array(
  some(
    { weight: 7, arbitrary: fc.constant({ kind: 'ok' as const }) },
    { weight: 2, arbitrary: fc.constantFrom(300, 3000, 20_000).map((ms) => ({ kind: 'late' as const, ms })) },
    { weight: 1, arbitrary: fc.constant({ kind: 'hang' as const }) },
    { weight: 3, arbitrary: codes.map((error) => ({ kind: 'error' as const, ...error })) },
  ),
  { minLength: 1, maxLength: 12 },
);

/** Answers that come by themselves, and of which it is known whether they acted. */
export const steadyAnswers: fc.Arbitrary<Answer[]> = fc.array(
  some(
    { weight: 6, arbitrary: fc.constant({ kind: 'ok' as const }) },
    { weight: 2, arbitrary: fc.constantFrom(300, 3000).map((ms) => ({ kind: 'late' as const, ms })) },
    { weight: 1, arbitrary: fc.constant({ kind: 'error' as const, code: 'element_not_found', acted: false }) },
  ),
  { minLength: 3, maxLength: 12 },
);

const which = fc.nat(5);
const seldom = fc.constantFrom(false, false, false, true);
const next = fc.constant<Deed>({ do: 'next' });
const sleep = fc.constantFrom(1, 500, 5000, 61_000).map((ms): Deed => ({ do: 'sleep', ms }));
const arm = fc
  .record({ fault: fc.constantFrom<Fault>('die-before', 'die-after', 'fail', 'fail-after'), commits: fc.nat(4) })
  .map((deed): Deed => ({ do: 'arm', ...deed }));

export const deeds: fc.Arbitrary<Deed[]> = fc.array(
  some(
    { weight: 6, arbitrary: next },
    { weight: 2, arbitrary: sleep },
    {
      weight: 6,
      arbitrary: fc
        .record({ which, yes: fc.constantFrom(true, true, false), wrong: seldom, twice: fc.boolean() })
        .map((deed): Deed => ({ do: 'decide', ...deed })),
    },
    {
      weight: 2,
      arbitrary: fc
        .record({ which, say: fc.constantFrom('retry' as const, 'done' as const, 'fail' as const) })
        .map((deed): Deed => ({ do: 'recover', ...deed })),
    },
    {
      weight: 2,
      arbitrary: fc
        .record({ which, do: fc.constantFrom('wake' as const, 'seen' as const) })
        .map((deed) => deed as Deed),
    },
    {
      weight: 3,
      arbitrary: fc
        .record({
          which,
          say: fc.constantFrom('accept' as const, 'edit' as const, 'request_changes' as const, 'reject' as const),
          wrong: seldom,
        })
        .map((deed): Deed => ({ do: 'people', ...deed })),
    },
    {
      weight: 4,
      arbitrary: fc
        .constantFrom('signal', 'signal', 'retry', 'raise', 'stop', 'lift', 'lift', 'alarm')
        .map((what) => ({ do: what }) as Deed),
    },
    {
      weight: 2,
      arbitrary: fc
        .record({ which, do: fc.constantFrom('pause' as const, 'resume' as const, 'resume' as const) })
        .map((deed) => deed as Deed),
    },
    {
      weight: 1,
      arbitrary: some(
        { weight: 3, arbitrary: next },
        { weight: 1, arbitrary: which.map((n): Deed => ({ do: 'cancel', which: n })) },
      ),
    },
    { weight: 4, arbitrary: fc.constant<Deed>({ do: 'crash' }) },
    { weight: 3, arbitrary: arm },
  ),
  { minLength: 3, maxLength: 25 },
);

/** Deeds that change when something happens, and never what. */
export const steadyDeeds: fc.Arbitrary<Deed[]> = fc.array(
  some(
    { weight: 5, arbitrary: next },
    { weight: 1, arbitrary: fc.constantFrom(1, 500, 5000).map((ms): Deed => ({ do: 'sleep', ms })) },
    {
      weight: 4,
      arbitrary: which.map((n): Deed => ({ do: 'decide', which: n, yes: true, wrong: false, twice: false })),
    },
    { weight: 2, arbitrary: which.map((n): Deed => ({ do: 'people', which: n, say: 'accept', wrong: false })) },
    {
      weight: 4,
      arbitrary: fc
        .constantFrom('signal', 'raise', 'stop', 'lift', 'crash', 'crash', 'crash', 'alarm')
        .map((what) => ({ do: what }) as Deed),
    },
    {
      weight: 2,
      arbitrary: fc
        .record({ which, do: fc.constantFrom('pause' as const, 'resume' as const, 'resume' as const) })
        .map((deed) => deed as Deed),
    },
    { weight: 3, arbitrary: arm },
  ),
  { minLength: 2, maxLength: 15 },
);
