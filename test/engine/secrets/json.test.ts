import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactJson, scanJson } from '../../../src/engine/secrets/index.ts';
import type { Json } from '../../../src/model/json.ts';
import { alnum, TOKENS } from './tokens.ts';

const token = TOKENS.github_token as string;

describe('scanJson', () => {
  it('a token deep in a value: its pointer and kind, nothing of itself', () => {
    expect(scanJson({ rows: [{ 'a/b': `x ${token}` }] })).toEqual([{ pointer: '/rows/0/a~1b', kind: 'github_token' }]);
  });

  it('a token in a key: found, and the pointer does not quote it', () => {
    const found = scanJson({ [token]: 1 });
    expect(found).toEqual([{ pointer: '/[redacted:github_token]', kind: 'github_token' }]);
  });

  it('a value that is a secret by the name of its key: found', () => {
    expect(scanJson({ client_secret: alnum(24), other: alnum(24) })).toEqual([
      { pointer: '/client_secret', kind: 'generic_secret' },
    ]);
  });

  it('a schema with a member called password: clean', () => {
    expect(
      scanJson({ properties: { password: { type: 'string', title: 'Password' }, api_key: { type: 'string' } } }),
    ).toEqual([]);
  });
});

describe('redactJson', () => {
  it('a clean value: the very same object comes back', () => {
    const value = { a: [1, 'two', { three: null }] };
    expect(redactJson(value)).toBe(value);
  });

  it('tokens in texts and keys: replaced, and both members kept when their keys become the same', () => {
    const other = `${token.slice(0, -1)}x`;
    expect(redactJson({ [token]: 1, [other]: `see ${token}`, n: 5 })).toEqual({
      '[redacted:github_token]': 1,
      '[redacted:github_token] 2': 'see [redacted:github_token]',
      n: 5,
    });
  });

  it('a member called __proto__: stays a member', () => {
    const value = JSON.parse(`{"__proto__": "${token}"}`) as Json;
    expect(JSON.stringify(redactJson(value))).toBe('{"__proto__":"[redacted:github_token]"}');
  });

  it('any value with tokens anywhere: none is left, and redacting again changes nothing', () => {
    const leaf = fc.oneof(fc.constantFrom(...Object.values(TOKENS)), fc.string(), fc.integer(), fc.constant(null));
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ depthSize: 'small' }, leaf, fc.array(tie('any')), fc.dictionary(fc.string(), tie('any'))),
    })).any;
    fc.assert(
      fc.property(value, (given) => {
        const clean = redactJson(given as Json);
        expect(scanJson(clean)).toEqual([]);
        expect(redactJson(clean)).toBe(clean);
        const text = JSON.stringify(clean);
        for (const secret of Object.values(TOKENS)) expect(text).not.toContain(secret);
      }),
      { numRuns: 300 },
    );
  });
});
