import type { DoctorFacts, Fault } from '../../view/doctor/facts.ts';
import type { App } from '../app.ts';
import type { Parts } from '../boot.ts';
import type { Schedule } from '../schedule.ts';
import { type Agent, browserFacts, extensionFacts } from './itself.ts';
import type { Life } from './life.ts';
import { looked, within } from './within.ts';
import { alarmFacts, grantFacts, journalFacts, modelFacts, runFacts } from './work.ts';

/** How long the look at one part may take, milliseconds. A database that is blocked never answers. */
const PATIENCE = 8000;

/** The background as it stands when it is asked. */
export interface Standing {
  life: Life;
  lock: DoctorFacts['worker']['lock'];
  /** What it is made of, once it has started. */
  running?: { app: App; schedule: Schedule };
  bootFault?: Fault;
}

/**
 * Collects what the background knows of its own health. Answers in bounded time also when it could not start or the database does not open;
 * what cannot be had says why. Holds no key, no secret, no input, no output and no address of a page.
 */
export async function collectFacts(parts: Parts, standing: Standing): Promise<DoctorFacts> {
  const { browser, clock } = parts;
  const { life, lock, running, bootFault } = standing;
  const look = <T>(work: () => Promise<T>) => looked(clock, PATIENCE, work);
  const [own, extension, history, database, rest] = await Promise.all([
    within(clock, PATIENCE, browserFacts(browser, navigator as Agent)).catch(() => ({ name: 'Browser', version: '' })),
    extensionFacts(browser, parts.production ?? true),
    life.facts(),
    look(() => databaseFacts(parts)),
    running && working(running, look),
  ]);
  return {
    now: clock.now(),
    browser: own,
    extension,
    worker: {
      ...history,
      ready: running !== undefined,
      lock,
      keptAlive: running?.schedule.state.alive ?? false,
      ...(bootFault ? { bootFault } : {}),
    },
    database,
    ...rest,
  };

  async function databaseFacts({ inspector }: Parts) {
    if (!inspector) throw new Error('There is no database to look at.');
    const found = await inspector.look();
    // With this permission nothing is evicted, whatever `persisted` says.
    if (browser.runtime.getManifest().permissions?.includes('unlimitedStorage')) found.persisted = true;
    const probe = await look(() => inspector.probe().then(() => null));
    return { ...found, probe };
  }
}

async function working(
  { app, schedule }: { app: App; schedule: Schedule },
  look: <T>(work: () => Promise<T>) => ReturnType<typeof looked<T>>,
): Promise<Pick<DoctorFacts, 'journals' | 'grants' | 'models' | 'alarms' | 'runs'>> {
  const [journals, grants, models, alarms, runs] = await Promise.all([
    look(() => journalFacts(app)),
    look(() => grantFacts(app)),
    look(() => modelFacts(app)),
    look(() => alarmFacts(app, schedule)),
    look(() => runFacts(app)),
  ]);
  return { journals, grants, models, alarms, runs };
}
