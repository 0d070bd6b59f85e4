import type { WaitKind } from '../../model/run.ts';
import type { Translator } from '../messages/index.ts';
import { type Check, fail, ok, someOf, unlooked, warn } from './check.ts';
import type { AlarmFacts, GrantFacts, Looked, RunFacts } from './facts.ts';

/** No alarm is set for earlier than this from now: store builds of Chromium would not fire it. Milliseconds. */
const SHORTEST_ALARM = 30_000;
/** What the setting of an alarm may lag behind what is due, milliseconds. */
const SLACK = 5000;

/** Whether everything that is switched on or under way has the sites that it needs. */
export function judgeSites(grants: Looked<GrantFacts>, tr: Translator): Check {
  if (!grants.ok) return unlooked('sites', grants.fault.message, tr);
  const { granted, missing } = grants.value;
  const waited = missing.filter(({ waiting }) => waiting);
  const named = (list: GrantFacts['missing']) =>
    someOf(
      list.map(({ origin }) => origin),
      tr,
    );
  if (waited.length > 0) {
    const runs = someOf([...new Set(waited.flatMap((each) => each.runs))], tr);
    return warn(
      'sites',
      tr.t('doctor.sites.waiting', { origins: named(waited), runs }),
      tr.t('doctor.sites.waitingNext'),
    );
  }
  if (missing.length > 0)
    return warn('sites', tr.t('doctor.sites.missing', { origins: named(missing) }), tr.t('doctor.sites.missingNext'));
  return ok('sites', granted.length === 0 ? tr.t('doctor.sites.none') : tr.t('doctor.sites.ok', { n: granted.length }));
}

/** Whether the browser will wake the background when something is due, and while a run is at work. */
export function judgeAlarms(facts: Looked<AlarmFacts>, now: number, tr: Translator): Check[] {
  if (!facts.ok) return [unlooked('alarm', facts.fault.message, tr)];
  return [wakeUp(facts.value, now, tr), watchdog(facts.value, tr)];
}

function wakeUp(facts: AlarmFacts, now: number, tr: Translator): Check {
  const { due, wakeAt } = facts;
  if (due === undefined) return ok('alarm', tr.t('doctor.alarm.none'));
  const words = { due: tr.relative(due, now) };
  if (wakeAt === undefined) return fail('alarm', tr.t('doctor.alarm.missing', words), tr.t('doctor.alarm.next'));
  const at = tr.date(wakeAt);
  if (wakesLate(facts, now))
    return fail('alarm', tr.t('doctor.alarm.late', { ...words, at }), tr.t('doctor.alarm.next'));
  return ok('alarm', tr.t('doctor.alarm.ok', { ...words, at }));
}

function watchdog({ watchdog, running }: AlarmFacts, tr: Translator): Check {
  if (!running) return ok('watchdog', tr.t('doctor.watchdog.idle'));
  if (watchdog) return ok('watchdog', tr.t('doctor.watchdog.ok'));
  return fail('watchdog', tr.t('doctor.watchdog.missing'), tr.t('doctor.watchdog.next'));
}

function wakesLate({ due, wakeAt }: AlarmFacts, now: number): boolean {
  if (due === undefined) return false;
  return wakeAt === undefined || wakeAt > Math.max(due, now + SHORTEST_ALARM) + SLACK;
}

/** True when the alarms are not what they should be; then it is worth a second look, since setting one takes a moment. */
export function alarmsWrong(facts: AlarmFacts, now: number): boolean {
  return wakesLate(facts, now) || (facts.running && !facts.watchdog);
}

/** Waits that only a person ends. */
const FOR_A_PERSON: readonly WaitKind[] = [
  'approval',
  'review',
  'task',
  'budget',
  'recovery',
  'permission',
  'tool_change',
];

/** The emergency stop, what is unfinished, and what stands still though it says that it runs. */
export function judgeRuns(facts: Looked<RunFacts>, tr: Translator): Check[] {
  if (!facts.ok) return [unlooked('runs', facts.fault.message, tr)];
  const { stopped, unfinished, paused, waiting } = facts.value;
  const forPerson = FOR_A_PERSON.reduce((sum, kind) => sum + (waiting[kind] ?? 0), 0);
  const words = [
    unfinished === 0 ? tr.t('doctor.runs.none') : tr.t('doctor.runs.some', { n: unfinished }),
    ...(forPerson > 0 ? [tr.t('doctor.runs.waiting', { n: forPerson })] : []),
    ...(paused > 0 ? [tr.t('doctor.runs.paused', { n: paused })] : []),
  ];
  return [
    stopped ? warn('stop', tr.t('doctor.stop.on'), tr.t('doctor.stop.onNext')) : ok('stop', tr.t('doctor.stop.ok')),
    ok('runs', words.join(' ')),
    standingStill(facts.value, tr),
  ];
}

function standingStill({ stuck, unread }: RunFacts, tr: Translator): Check {
  if (unread.length > 0)
    return fail('stuck', tr.t('doctor.stuck.unread', { runs: someOf(unread, tr) }), tr.t('doctor.stuck.unreadNext'));
  if (stuck.length > 0)
    return fail('stuck', tr.t('doctor.stuck.some', { runs: someOf(stuck, tr) }), tr.t('doctor.stuck.someNext'));
  return ok('stuck', tr.t('doctor.stuck.ok'));
}
