import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../src/adapters/memory/index.ts';
import { DUE_ALARM, Schedule, WATCHDOG_ALARM } from '../../src/app/schedule.ts';
import { fakeBrowser, settle } from './fake.ts';

const START = 1_000_000;

function setUp() {
  const fake = fakeBrowser();
  const clock = createVirtualClock(START);
  const work = { running: false };
  const schedule = new Schedule({ browser: fake.browser, clock, running: () => work.running });
  const pass = async (ms: number) => {
    clock.advanceTo(clock.now() + ms);
    await settle();
  };
  return { fake, clock, work, schedule, pass };
}

describe('the alarm for what is due', () => {
  it('due in an hour: set to that moment', async () => {
    const { fake, schedule, pass } = setUp();
    schedule.dueAt(START + 3_600_000);
    await pass(0);
    expect(fake.alarms.get(DUE_ALARM)).toEqual({ when: START + 3_600_000 });
  });

  it('due in five seconds, or past: no earlier than in 30 s, which is what store builds enforce', async () => {
    for (const due of [START + 5000, START - 5000]) {
      const { fake, schedule, pass } = setUp();
      schedule.dueAt(due);
      await pass(0);
      expect(fake.alarms.get(DUE_ALARM)).toEqual({ when: START + 30_000 });
    }
  });

  it('nothing is due any more: cleared', async () => {
    const { fake, schedule, pass } = setUp();
    schedule.dueAt(START + 3_600_000);
    await pass(1000);
    schedule.dueAt(undefined);
    await pass(1000);
    expect(fake.alarms.has(DUE_ALARM)).toBe(false);
  });

  it('a due time that moves a hundred times in a second: written twice, the last one stays', async () => {
    const { fake, schedule, pass } = setUp();
    let writes = 0;
    const create = fake.browser.alarms.create;
    fake.browser.alarms.create = (name, info) => {
      writes += 1;
      return create(name, info);
    };
    for (let step = 1; step <= 100; step++) schedule.dueAt(START + 60_000 + step);
    await pass(5000);
    expect(writes).toBe(2);
    expect(fake.alarms.get(DUE_ALARM)).toEqual({ when: START + 60_100 });
  });

  it('the alarm went off while the same moment is still to be waited for: set again', async () => {
    const { fake, schedule, pass } = setUp();
    schedule.dueAt(START + 40_000);
    await pass(40_000);
    fake.alarms.clear();
    schedule.fired(DUE_ALARM);
    schedule.dueAt(START + 40_000);
    await pass(1000);
    expect(fake.alarms.get(DUE_ALARM)).toEqual({ when: START + 70_000 });
  });

  it('a boot with nothing to do: alarms of an earlier worker are cleared', async () => {
    const { fake, schedule, pass } = setUp();
    fake.alarms.set(DUE_ALARM, { when: 1 }).set(WATCHDOG_ALARM, { periodInMinutes: 0.5 });
    schedule.boot();
    await pass(0);
    expect([...fake.alarms.keys()]).toEqual([]);
  });

  it('a boot after the browser has lost its alarms: set again', async () => {
    const { fake, schedule, pass } = setUp();
    schedule.dueAt(START + 90_000);
    await pass(0);
    fake.alarms.clear();
    schedule.boot();
    await pass(0);
    expect(fake.alarms.get(DUE_ALARM)).toEqual({ when: START + 90_000 });
  });
});

describe('keeping the worker alive', () => {
  it('a run at work: a call every 20 s, and the watchdog every 30 s', async () => {
    const { fake, work, schedule, pass } = setUp();
    work.running = true;
    schedule.check();
    schedule.check();
    await pass(61_000);
    expect(fake.calls).toEqual(['getPlatformInfo', 'getPlatformInfo', 'getPlatformInfo']);
    expect(fake.alarms.get(WATCHDOG_ALARM)).toEqual({ periodInMinutes: 0.5 });
  });

  it('the run ends or only waits: at the next round it stops, watchdog and all', async () => {
    const { fake, work, schedule, pass } = setUp();
    work.running = true;
    schedule.check();
    await pass(20_000);
    work.running = false;
    await pass(100_000);
    expect(fake.calls).toHaveLength(1);
    expect(fake.alarms.has(WATCHDOG_ALARM)).toBe(false);
  });

  it('work begins again: so does the keeping alive', async () => {
    const { fake, work, schedule, pass } = setUp();
    work.running = true;
    schedule.check();
    work.running = false;
    await pass(20_000);
    work.running = true;
    schedule.check();
    await pass(20_000);
    expect(fake.calls).toHaveLength(1);
    expect(fake.alarms.has(WATCHDOG_ALARM)).toBe(true);
  });

  it('no run at work: nothing is called, nothing is set', async () => {
    const { fake, schedule, pass } = setUp();
    schedule.check();
    await pass(100_000);
    expect(fake.calls).toEqual([]);
    expect(fake.alarms.size).toBe(0);
  });
});
