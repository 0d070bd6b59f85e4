import { describe, expect, it } from 'vitest';
import { createMemoryStore, createVirtualClock } from '../../src/adapters/memory/index.ts';
import { Drafts } from '../../src/app/drafts.ts';
import { TOKENS } from '../engine/secrets/tokens.ts';
import { setUp } from './world.ts';

const DAY = 86_400_000;
const KEY = TOKENS.anthropic_key as string;

describe('a draft', () => {
  it('with a secret in it: the rest is kept, the secret is neither in the store nor given back', async () => {
    const { ask, store } = setUp();
    await ask('draft.set', { key: 'import', text: `name: A\nkey: ${KEY}\nsteps: []` });
    const { text } = await ask('draft.get', { key: 'import' });
    expect(text).toMatch(/^name: A\nkey: \[redacted:\w+\]\nsteps: \[\]$/);
    expect(JSON.stringify(await store.setting('drafts'))).not.toContain(KEY.slice(10, 40));
  });

  it('that is JSON: it is still JSON, and a secret behind an escaped line break, or by the name of its member, is not kept', async () => {
    const { ask } = setUp();
    const token = TOKENS.discord_token as string;
    const named = KEY.slice(-40);
    await ask('draft.set', {
      key: 'edit',
      text: JSON.stringify({ note: `Week 48\n${token}\\`, api_key: named, also: [KEY] }, null, 2),
    });
    const { text } = await ask('draft.get', { key: 'edit' });
    expect((JSON.parse(text) as { note: string }).note).toMatch(/^Week 48\n\[redacted:\w+\]/);
    for (const secret of [token, named, KEY]) expect(text).not.toContain(secret);
  });

  it('without a secret: to the letter, JSON too', async () => {
    const { ask } = setUp();
    const text = '{ "note":   "Week 48" }';
    await ask('draft.set', { key: 'edit', text });
    expect(await ask('draft.get', { key: 'edit' })).toEqual({ text });
  });

  it('that nobody has changed for 7 days: not given back, and gone from the store at the next start', async () => {
    const world = setUp();
    await world.ask('draft.set', { key: 'old', text: 'old' });
    world.clock.advanceTo(world.clock.now() + 6 * DAY);
    await world.ask('draft.set', { key: 'young', text: 'young' });
    expect(await world.ask('draft.get', { key: 'old' })).toEqual({ text: 'old' });
    world.clock.advanceTo(world.clock.now() + DAY);
    expect(await world.ask('draft.get', { key: 'old' })).toEqual({ text: '' });
    const next = world.restart();
    await next.ask('health.get', {});
    await next.ask('state.get', {});
    expect(Object.keys((await world.store.setting('drafts')) ?? {})).toEqual(['young']);
  });

  it('that is old goes with the next draft that is written too', async () => {
    const store = createMemoryStore();
    const clock = createVirtualClock(1);
    const drafts = new Drafts(store, clock);
    await drafts.set('old', 'old');
    clock.advanceTo(1 + 7 * DAY);
    await drafts.set('young', 'young');
    expect(Object.keys((await store.setting('drafts')) ?? {})).toEqual(['young']);
  });
});

describe('a draft in two windows', () => {
  const write = (text: string, writer: string, base: string) => ({ key: 'comment', text, writer, base });

  it('both type: the second is told what the first has written, and overwrites it only after having seen it', async () => {
    const { ask } = setUp();
    expect(await ask('draft.set', write('a', 'one', ''))).toEqual({ saved: true });
    expect(await ask('draft.set', write('ab', 'one', ''))).toEqual({ saved: true });
    expect(await ask('draft.set', write('x', 'two', ''))).toEqual({ saved: false, theirs: 'ab' });
    expect(await ask('draft.get', { key: 'comment' })).toEqual({ text: 'ab' });
    expect(await ask('draft.set', write('x', 'two', 'ab'))).toEqual({ saved: true });
    expect(await ask('draft.set', write('abc', 'one', ''))).toEqual({ saved: false, theirs: 'x' });
  });

  it('the other window goes on with what it was given, or writes the same: no conflict', async () => {
    const { ask } = setUp();
    await ask('draft.set', write('ab', 'one', ''));
    expect(await ask('draft.set', write('abc', 'two', 'ab'))).toEqual({ saved: true });
    expect(await ask('draft.set', write('abc', 'three', ''))).toEqual({ saved: true });
  });

  it('is thrown away in one window while the other types: the other is told; once it is gone, it is no hindrance', async () => {
    const { ask } = setUp();
    await ask('draft.set', write('ab', 'one', ''));
    await ask('draft.set', write('', 'one', ''));
    expect(await ask('draft.set', write('x', 'two', 'ab'))).toEqual({ saved: true });
    expect(await ask('draft.set', write('', 'one', ''))).toEqual({ saved: false, theirs: 'x' });
  });
});
