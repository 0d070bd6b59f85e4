import { describe, expect, it } from 'vitest';
import { oneSentence } from '../../src/cli/run/failure.ts';
import { failureText } from '../../src/cli/run/tree.ts';
import { TabloomError, toErrorInfo } from '../../src/model/errors.ts';
import { errorText } from '../../src/view/error-text.ts';
import { runRow } from '../support/rows.ts';

/** Errors of every odd kind, as libraries, browsers and pages throw them. */

const LONG = `The page said: ${'a long tale without an end, '.repeat(800)}`;
const hostile = Object.defineProperty({}, 'message', {
  get() {
    throw new Error('no');
  },
});

const ODD: [string, unknown, RegExp][] = [
  ['undefined', undefined, /without saying why/],
  ['null', null, /without saying why/],
  ['an empty text', '', /without saying why/],
  ['an empty error', new Error(''), /without saying why/],
  ['an error whose message is blank', new TypeError('  '), /TypeError/],
  ['a number', 503, /503/],
  ['a plain object', {}, /without saying why/],
  ['an object with a message', { code: 7, message: 'the disk is full' }, /the disk is full/],
  ['an object that throws when it is read', hostile, /without saying why/],
  ['an error whose cause is an object', new Error('outer', { cause: { message: 'inner' } }), /outer/],
  [
    'an AggregateError',
    new AggregateError([new Error('first'), new TypeError('second')], 'All failed'),
    /All failed.*first.*second/,
  ],
  ['an AggregateError that says nothing itself', new AggregateError([new Error('first'), 'second']), /first.*second/],
  [
    'an AggregateError of many',
    new AggregateError(Array.from({ length: 40 }, (_, n) => new Error(`number ${n}`))),
    /and 35 more/,
  ],
  ['an AggregateError in itself', nest(30), /./],
  ['an event', new Event('error'), /"error"/],
  [
    'an event that holds an error',
    Object.assign(new Event('error'), { error: new Error('from the socket') }),
    /from the socket/,
  ],
  ['a rejection event', { type: 'unhandledrejection', reason: new Error('was rejected') }, /was rejected/],
  ['a DOMException', new DOMException('no room', 'QuotaExceededError'), /QuotaExceededError: no room/],
  ['20,000 characters', new Error(LONG), /The page said/],
  ['20,000 characters of our own', new TabloomError('mcp_tool_error', LONG), /The page said/],
  ['a text of 20,000 characters without a space', 'x'.repeat(20_000), /x{100}/],
  ['several lines', new Error('first line\n  at a.js:1\n  at b.js:2'), /first line/],
  ['a symbol', Symbol('odd'), /without saying why/],
];

function nest(depth: number): AggregateError {
  return new AggregateError(depth === 0 ? [new Error('deep')] : [nest(depth - 1)], `level ${depth}`);
}

describe.each(ODD)('%s', (_what, thrown, says) => {
  const info = toErrorInfo(thrown);
  const texts = {
    'the run view and the popup': errorText(info.message).text,
    'the terminal at the end of a run': failureText({ run: runRow({ status: 'failed', error: info }) }) as string,
    'the terminal when the command itself fails': oneSentence(thrown),
  };

  it('has a code, and a message that is bounded', () => {
    expect(info.code).toMatch(/^[a-z_]+$/);
    expect(info.message.length).toBeLessThanOrEqual(2000);
    expect(() => structuredClone(info)).not.toThrow();
    expect(JSON.parse(JSON.stringify(info))).toEqual(info);
  });

  it.each(Object.entries(texts))('in %s: one readable line', (_where, text) => {
    expect(text).toMatch(says);
    expect(text.trim()).not.toBe('');
    expect(text).not.toMatch(/\[object |undefined|\n/);
    expect(text.length).toBeLessThan(500);
  });
});

it('a message too long to be read at once is cut between words, and its whole is kept aside', () => {
  const { text, whole } = errorText(toErrorInfo(new Error(LONG)).message);
  expect(text).toMatch(/ …$/);
  expect(text.length).toBeLessThanOrEqual(302);
  expect(whole?.length).toBe(2000);
  expect(errorText('Short and plain.')).toEqual({ text: 'Short and plain.' });
});

it('causes are kept, as far as they help', () => {
  const chain = new Error('top', { cause: new Error('middle', { cause: { message: 'bottom' } }) });
  expect(toErrorInfo(chain).cause).toMatchObject({ message: 'Error: middle', cause: { message: 'bottom' } });
  const endless = new Error('round');
  endless.cause = endless;
  expect(JSON.stringify(toErrorInfo(endless)).match(/round/g)?.length).toBeLessThan(10);
});
