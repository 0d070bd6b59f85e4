import type { Translator } from '../messages/index.ts';
import { type Check, fail, ok, warn } from './check.ts';
import type { BrowserFacts, ExtensionFacts, WorkerFacts } from './facts.ts';

/** Compares dotted version numbers: negative when `a` is the older one. Missing parts count as 0. */
export function compareVersions(a: string, b: string): number {
  const left = a.split('.').map(Number);
  const right = b.split('.').map(Number);
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] || 0) - (right[i] || 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

export function judgeBrowser({ name, version, minimum }: BrowserFacts, tr: Translator): Check {
  if (minimum === undefined) return ok('browser', tr.t('doctor.browser.plain', { name, version }));
  if (version === '')
    return warn('browser', tr.t('doctor.browser.unknown', { minimum }), tr.t('doctor.browser.compare'));
  if (compareVersions(version, minimum) < 0)
    return fail('browser', tr.t('doctor.browser.old', { name, version, minimum }), tr.t('doctor.browser.update'));
  return ok('browser', tr.t('doctor.browser.ok', { name, version, minimum }));
}

export function judgeExtension(facts: ExtensionFacts, tr: Translator): Check {
  const { id, version } = facts;
  if (facts.incognito)
    return warn('extension', tr.t('doctor.extension.private', { version }), tr.t('doctor.extension.privateNext'));
  if (!facts.fixedId)
    return fail('extension', tr.t('doctor.extension.loose', { version }), tr.t('doctor.extension.looseNext'));
  if (facts.build === 'development')
    return warn('extension', tr.t('doctor.extension.dev', { version }), tr.t('doctor.extension.devNext'));
  const install = tr.t(facts.install === 'development' ? 'doctor.extension.unpacked' : 'doctor.extension.normal');
  return ok('extension', tr.t('doctor.extension.ok', { version, install, id }));
}

export function judgeWorker(facts: WorkerFacts, now: number, tr: Translator): Check[] {
  return [workerItself(facts, now, tr), ...lockOf(facts, tr), faultsOf(facts, now, tr)];
}

function workerItself({ startedAt, ready, recoveredMs, lives, bootFault }: WorkerFacts, now: number, tr: Translator) {
  const when = tr.relative(startedAt, now);
  if (ready) {
    const started = tr.t('doctor.worker.ok', { when, duration: tr.duration(recoveredMs ?? 0) });
    return ok('worker', lives === undefined ? started : `${started} ${tr.t('doctor.worker.lives', { n: lives })}`);
  }
  if (bootFault)
    return fail(
      'worker',
      tr.t('doctor.worker.failed', { message: bootFault.message }),
      tr.t('doctor.worker.failedNext'),
    );
  return warn('worker', tr.t('doctor.worker.starting', { when }), tr.t('doctor.worker.startingNext'));
}

function lockOf({ lock }: WorkerFacts, tr: Translator): Check[] {
  switch (lock) {
    case 'held':
      return [ok('lock', tr.t('doctor.lock.ok'))];
    case 'waiting':
      return [fail('lock', tr.t('doctor.lock.waiting'), tr.t('doctor.lock.waitingNext'))];
    case 'unsupported':
      return [warn('lock', tr.t('doctor.lock.unsupported'), tr.t('doctor.lock.unsupportedNext'))];
    case 'unasked':
      return [];
  }
}

function faultsOf({ lastFault }: WorkerFacts, now: number, tr: Translator): Check {
  if (!lastFault) return ok('faults', tr.t('doctor.faults.ok'));
  const { at, message } = lastFault;
  return warn(
    'faults',
    tr.t('doctor.faults.some', { when: tr.relative(at, now), message }),
    tr.t('doctor.faults.someNext'),
  );
}
