import type { Translator } from '../messages/index.ts';
import { sizeWords } from '../run-words.ts';
import { type Check, fail, ok, someOf, unlooked, warn } from './check.ts';
import type { DoctorFacts, JournalFacts, Looked } from './facts.ts';

/** Part of the quota from which on it should be said, and from which on runs are in danger. */
const NEARLY_FULL = 0.8;
const FULL = 0.95;

type Database = DoctorFacts['database'];

/** Whether it opens, and takes and gives back what is written. */
export function judgeStore(database: Database, tr: Translator): Check[] {
  if (!database.ok) {
    const { message } = database.fault;
    return [fail('store', tr.t('doctor.store.failed', { message }), tr.t('doctor.store.failedNext'))];
  }
  const { probe, schema, newest, counts } = database.value;
  if (!probe.ok)
    return [
      fail('store', tr.t('doctor.store.probe', { message: probe.fault.message }), tr.t('doctor.store.probeNext')),
      judgeSpace(database.value, tr),
    ];
  const held = tr.list([
    tr.t('doctor.store.runs', { n: counts.runs }),
    tr.t('doctor.store.events', { n: counts.events }),
    tr.t('doctor.store.files', { n: counts.artifacts }),
  ]);
  const opens = tr.t('doctor.store.ok', { schema: String(schema), counts: held });
  const store =
    schema === newest
      ? ok('store', opens)
      : fail(
          'store',
          tr.t('doctor.store.older', { schema: String(schema), newest: String(newest) }),
          tr.t('doctor.store.failedNext'),
        );
  return [store, judgeSpace(database.value, tr)];
}

function judgeSpace(
  { usage, quota, persisted }: { usage?: number; quota?: number; persisted?: boolean },
  tr: Translator,
): Check {
  const kept = persisted === undefined ? '' : ` ${tr.t(persisted ? 'doctor.space.kept' : 'doctor.space.loose')}`;
  if (usage === undefined || quota === undefined || quota <= 0) return ok('space', tr.t('doctor.space.unknown') + kept);
  const part = usage / quota;
  const words = { usage: sizeWords(usage, tr), quota: sizeWords(quota, tr) };
  if (part < NEARLY_FULL) return ok('space', tr.t('doctor.space.ok', words) + kept);
  const percent = tr.number(part, { style: 'percent', maximumFractionDigits: 0 });
  const message = tr.t('doctor.space.full', { ...words, percent });
  return (part < FULL ? warn : fail)('space', message, tr.t('doctor.space.fullNext'));
}

/** The hash chains of the last runs. */
export function judgeJournals(journals: Looked<JournalFacts>, tr: Translator): Check {
  if (!journals.ok) return unlooked('journals', journals.fault.message, tr);
  const { broken, checked, cut } = journals.value;
  if (broken.length > 0) {
    const sentences = broken
      .slice(0, 5)
      .map(({ runId, seq }) => tr.t('doctor.journals.broken', { run: runId, seq: String(seq) }));
    const more = broken.length > 5 ? [`+${broken.length - 5}`] : [];
    return fail('journals', [...sentences, ...more].join(' '), tr.t('doctor.journals.brokenNext'));
  }
  if (checked === 0 && !cut) return ok('journals', tr.t('doctor.journals.none'));
  const whole = tr.t('doctor.journals.ok', { n: checked });
  return ok('journals', cut ? `${whole} ${tr.t('doctor.journals.cut')}` : whole);
}

/** Whether stored values open, and whether what is switched on has the secrets that it names. */
export function judgeSecrets({ database, models }: DoctorFacts, tr: Translator): Check[] {
  if (!database.ok) return [];
  const { counts, unreadableSecrets: n } = database.value;
  if (n > 0) return [fail('secrets', tr.t('doctor.secrets.unreadable', { n }), tr.t('doctor.secrets.unreadableNext'))];
  const unmet = models?.ok ? models.value.unmetSecret : [];
  if (unmet.length > 0)
    return [
      warn('secrets', tr.t('doctor.secrets.unmet', { workflows: someOf(unmet, tr) }), tr.t('doctor.secrets.unmetNext')),
    ];
  return [
    ok(
      'secrets',
      counts.secrets === 0 ? tr.t('doctor.secrets.none') : tr.t('doctor.secrets.ok', { n: counts.secrets }),
    ),
  ];
}
