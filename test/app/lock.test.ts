import { expect, it } from 'vitest';
import { holdLock } from '../../src/app/lock.ts';

/** Web Locks with one name, as the browser grants them: one after another, or by force. */
class FakeLocks {
  private holder: ((error: Error) => void) | undefined;
  private waiting: (() => void)[] = [];

  request = ((_name: string, work: () => Promise<unknown>) =>
    new Promise((_resolve, reject) => {
      const grant = () => {
        this.holder = reject;
        void work();
      };
      if (this.holder) this.waiting.push(grant);
      else grant();
    })) as LockManager['request'];

  steal(): void {
    this.holder?.(new DOMException('The lock was stolen.', 'AbortError'));
  }

  free(): void {
    this.holder = undefined;
    this.waiting.shift()?.();
  }
}

it('the second instance waits until the first has gone', async () => {
  const locks = new FakeLocks();
  const order: string[] = [];
  await holdLock(locks).then(() => order.push('first'));
  const second = holdLock(locks).then(() => order.push('second'));
  await new Promise((done) => setTimeout(done));
  expect(order).toEqual(['first']);
  locks.free();
  await second;
  expect(order).toEqual(['first', 'second']);
});

it('the lock is taken away by force: the holder is told, once', async () => {
  const locks = new FakeLocks();
  let lost = 0;
  await holdLock(locks, 'x', () => (lost += 1));
  expect(lost).toBe(0);
  locks.steal();
  await new Promise((done) => setTimeout(done));
  expect(lost).toBe(1);
});

it('a lock that cannot be had is an error, and none where the browser has no locks', async () => {
  const refusing = { request: () => Promise.reject(new Error('no')) } as unknown as Pick<LockManager, 'request'>;
  await expect(holdLock(refusing)).rejects.toThrow('no');
  await expect(holdLock(undefined)).resolves.toBeUndefined();
});
