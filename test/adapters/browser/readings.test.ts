import { expect, it } from 'vitest';
import { type Reading, Readings } from '../../../src/adapters/browser/readings.ts';

/** `storage.session` as the browser has it: what goes in is copied. */
function session() {
  let items: Record<string, unknown> = {};
  return {
    storage: {
      session: {
        get: async () => structuredClone(items),
        set: async (more: Record<string, unknown>) => {
          items = { ...items, ...structuredClone(more) };
        },
      },
    },
  };
}

const reading = (text = ''): Reading => ({ from: 'https://a.example/', head: {}, rows: [text], seen: '', pages: 1 });

it('a reading is found by the next life of the worker as it was kept last', async () => {
  const browser = session();
  const first = new Readings(browser);
  const kept = reading('one');
  await first.keep('k', kept);
  kept.rows.push('two');
  await first.keep('k', kept);
  kept.rows.push('never kept');
  expect((await new Readings(browser).find('k'))?.rows).toEqual(['one', 'two']);
  expect(await new Readings(browser).find('other')).toBeUndefined();
});

it('too many readings, or too large ones: the oldest go, and the newest never does', async () => {
  const browser = session();
  const readings = new Readings(browser);
  for (let count = 0; count < 25; count++) await readings.keep(`k${count}`, reading());
  expect([await readings.find('k4'), (await readings.find('k5'))?.pages]).toEqual([undefined, 1]);
  const large = 'x'.repeat(5_000_000);
  await readings.keep('large', reading(large));
  const next = new Readings(browser);
  expect([await next.find('k24'), (await next.find('large'))?.rows[0]]).toEqual([undefined, large]);
});
