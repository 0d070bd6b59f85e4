import type { Translator } from '../messages/index.ts';
import { type Check, fail } from './check.ts';
import type { ConnectionFacts, DoctorFacts } from './facts.ts';
import { judgeBrowser, judgeExtension, judgeWorker } from './judge-itself.ts';
import { judgeConnection, judgeModel } from './judge-model.ts';
import { judgeJournals, judgeSecrets, judgeStore } from './judge-store.ts';
import { judgeAlarms, judgeRuns, judgeSites } from './judge-work.ts';

/**
 * Judges what the background has collected, one check a line, in the translator's language. What was not looked at has no line.
 * @param connection what a call of the model came to, where a person asked for one
 */
export function judge(facts: DoctorFacts, tr: Translator, connection?: ConnectionFacts): Check[] {
  const { now, database, journals, grants, models, alarms, runs } = facts;
  return [
    judgeBrowser(facts.browser, tr),
    judgeExtension(facts.extension, tr),
    ...judgeWorker(facts.worker, now, tr),
    ...judgeStore(database, tr),
    ...(journals ? [judgeJournals(journals, tr)] : []),
    ...judgeSecrets(facts, tr),
    ...(grants ? [judgeSites(grants, tr)] : []),
    ...(models ? [judgeModel(models, tr)] : []),
    ...(connection ? [judgeConnection(connection, tr)] : []),
    ...(alarms ? judgeAlarms(alarms, now, tr) : []),
    ...(runs ? judgeRuns(runs, tr) : []),
  ];
}

/** What there is to say when the background gave no facts at all. */
export function judgeSilence(tr: Translator): Check[] {
  return [fail('worker', tr.t('doctor.worker.silent'), tr.t('doctor.worker.silentNext'))];
}

export type { Check, CheckState } from './check.ts';
export type { ConnectionFacts, DoctorFacts } from './facts.ts';
