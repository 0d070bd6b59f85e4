import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../src/adapters/memory/index.ts';
import { Writing } from '../../src/app/writing.ts';
import type { ModelPort, ModelReply } from '../../src/ports/model.ts';
import { request } from '../support/providers.ts';

const REPLY: ModelReply = { text: 'all', usage: { inputTokens: 1, outputTokens: 1 }, model: 'm:m', finish: 'stop' };

function setUp(listeners = 1) {
  const clock = createVirtualClock();
  const pushed: [readonly string[], string | undefined][] = [];
  const writing = new Writing({ listeners, push: (what, runId) => void pushed.push([what, runId]) }, clock);
  /** A model under the test's control. */
  let say: (text: string) => void = () => undefined;
  let end: (error?: Error) => void = () => undefined;
  const port: ModelPort = {
    generate: ({ onText }) =>
      new Promise((resolve, reject) => {
        say = (text) => onText?.(text);
        end = (error) => (error ? reject(error) : resolve(REPLY));
      }),
    configured: async () => true,
    price: () => undefined,
  };
  const watched = writing.watched(port);
  return { clock, pushed, writing, watched, say: (text: string) => say(text), end: (error?: Error) => end(error) };
}

describe('an answer that is on its way', () => {
  it('is there as far as it has come, under its step, and gone once the call is over', async () => {
    const { writing, watched, say, end } = setUp();
    const heard: string[] = [];
    const call = watched.generate(request({ onText: (text) => heard.push(text) }));
    expect(writing.of('r1')).toEqual([]);
    say('one ');
    say('two');
    expect(writing.of('r1')).toEqual([{ path: 'ask', attempt: 1, text: 'one two' }]);
    expect(writing.of('r2')).toEqual([]);
    end();
    expect(await call).toEqual(REPLY);
    expect(writing.of('r1')).toEqual([]);
    expect(heard).toEqual(['one ', 'two']);
  });

  it('of a call that fails: gone too', async () => {
    const { writing, watched, say, end } = setUp();
    const call = watched.generate(request());
    say('half');
    end(new Error('gone'));
    await expect(call).rejects.toThrow('gone');
    expect(writing.of('r1')).toEqual([]);
  });

  it('in a run that was called: under its path there', async () => {
    const { writing, watched, say } = setUp();
    void watched.generate(request({ call: { runId: 'r9', path: 'child/ask', own: 'ask', attempt: 2 } }));
    say('x');
    expect(writing.of('r9')).toEqual([{ path: 'ask', attempt: 2, text: 'x' }]);
  });

  it('is told of at once, then at a pace, and the last of it is not forgotten', async () => {
    const { clock, pushed, watched, say } = setUp();
    void watched.generate(request());
    for (let ms = 0; ms < 1000; ms += 10) {
      clock.advanceTo(ms);
      say('x');
    }
    clock.advanceTo(2000);
    expect(pushed.every(([what, runId]) => what[0] === 'writing' && runId === 'r1')).toBe(true);
    expect(pushed).toHaveLength(6);
  });

  it('where nobody looks on: nothing is told', () => {
    const { clock, pushed, watched, say } = setUp(0);
    void watched.generate(request());
    say('x');
    clock.advanceTo(2000);
    expect(pushed).toEqual([]);
  });

  it('a very long one: its end', () => {
    const { writing, watched, say } = setUp();
    void watched.generate(request());
    say('a'.repeat(50_000));
    say('the end');
    const [row] = writing.of('r1');
    expect(row?.text.endsWith('athe end')).toBe(true);
    expect(row?.text.length).toBeLessThanOrEqual(16 * 1024);
  });

  it('what looks like a key is not shown', () => {
    const { writing, watched, say } = setUp();
    void watched.generate(request());
    const key = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_');
    for (const piece of [`The token is ${key.slice(0, 12)}`, `${key.slice(12)}, keep it.`]) say(piece);
    expect(writing.of('r1')[0]?.text).toContain('[redacted:');
    expect(writing.of('r1')[0]?.text).not.toContain('K1l2M3n4O5p6');
  });
});
