import { afterEach, describe, expect, it } from 'vitest';
import { type PageEnv, setEnv } from '../../src/actions/page/env.ts';
import { checkNobody, noticeInput, QUIET } from '../../src/actions/page/person.ts';

let now = 0;
setEnv({ now: () => now } as PageEnv);

const event = (type: string, more: object = {}): Event => ({ type, isTrusted: true, ...more }) as unknown as Event;

afterEach(() => {
  now += 10 * QUIET;
});

describe('a person at the page', () => {
  it('a key or a press: the page is left alone until they have been quiet for a moment', () => {
    for (const type of ['keydown', 'keyup', 'pointerdown', 'pointerup', 'wheel']) {
      noticeInput(event(type));
      now += QUIET - 1;
      expect(() => checkNobody(), type).toThrowError(
        expect.objectContaining({
          wait: true,
          info: expect.objectContaining({ code: 'element_not_actionable', details: { reason: 'person' } }),
        }),
      );
      now += 1;
      expect(() => checkNobody(), type).not.toThrow();
    }
  });

  it('each further input begins the moment anew', () => {
    noticeInput(event('keydown'));
    now += QUIET - 1;
    noticeInput(event('keyup'));
    now += QUIET - 1;
    expect(() => checkNobody()).toThrow();
  });

  it('what a script dispatches is no person, nor is a pointer that passes by; one that drags is', () => {
    noticeInput(event('keydown', { isTrusted: false }));
    noticeInput(event('pointermove', { buttons: 0 }));
    expect(() => checkNobody()).not.toThrow();
    noticeInput(event('pointermove', { buttons: 1 }));
    expect(() => checkNobody()).toThrow();
  });
});
