import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../src/adapters/memory/index.ts';
import { Updates } from '../../src/app/updates.ts';
import { fakePort, OWN, settle } from './fake.ts';

function setUp() {
  const clock = createVirtualClock();
  const updates = new Updates(clock);
  const port = fakePort('tabloom.updates', OWN);
  updates.add(port);
  return { clock, updates, port };
}

describe('updates for open pages', () => {
  it('the first one after a quiet time goes out at once, those of one moment together', async () => {
    const { updates, port } = setUp();
    updates.push(['runs'], 'r1');
    updates.push(['approvals'], 'r1');
    updates.push(['settings']);
    await settle();
    expect(port.sent).toEqual([
      { type: 'changed', runId: 'r1', what: ['runs', 'approvals'] },
      { type: 'changed', what: ['settings'] },
    ]);
  });

  it('a burst: at most one message a run each 50 ms, and the last change is told', async () => {
    const { clock, updates, port } = setUp();
    for (let ms = 0; ms < 100; ms++) {
      updates.push(['runs'], 'r1');
      await Promise.resolve();
      clock.advanceTo(ms + 1);
    }
    clock.advanceTo(1000);
    await settle();
    expect(port.sent.length).toBeGreaterThanOrEqual(3);
    expect(port.sent.length).toBeLessThanOrEqual(4);
    const before = port.sent.length;
    updates.push(['runs'], 'r1');
    await settle();
    expect(port.sent.length).toBe(before + 1);
  });

  it('a page that went away, or whose port throws: no longer told, the others are', async () => {
    const { clock, updates, port } = setUp();
    const broken = fakePort('tabloom.updates', OWN);
    broken.postMessage = () => {
      throw new Error('Attempting to use a disconnected port object');
    };
    updates.add(broken);
    updates.push(['runs']);
    await settle();
    expect([port.sent.length, updates.listeners]).toEqual([1, 1]);
    port.leave();
    clock.advanceTo(100);
    updates.push(['runs']);
    await settle();
    expect([port.sent.length, updates.listeners]).toEqual([1, 0]);
  });
});
