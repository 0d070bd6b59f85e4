import { describe, expect, it } from 'vitest';
import { de } from '../../src/view/messages/de/index.ts';
import { en } from '../../src/view/messages/en/index.ts';
import { splitMessage } from '../../src/view/messages/format.ts';
import { languageFor, translatorFor } from '../../src/view/messages/index.ts';
import { pseudoText } from '../../src/view/messages/pseudo.ts';

const names = (text: string) =>
  splitMessage(text)
    .flatMap((part) => ('name' in part ? [part.name] : []))
    .sort();
const texts = (message: string | object) =>
  typeof message === 'string' ? [message] : (Object.values(message) as string[]);

describe('the catalogues', () => {
  it('German: has the same keys as English', () => {
    expect(Object.keys(de).sort()).toEqual(Object.keys(en).sort());
  });

  it('German: every text has the placeholders of the English one', () => {
    const other = (message: string | { other: string }) => (typeof message === 'string' ? message : message.other);
    const wrong = Object.entries(en).filter(([key, message]) => {
      const german = de[key as keyof typeof de];
      const wanted = names(other(message));
      // A form for one may leave the number out; none may use a name that the English text does not have.
      return (
        JSON.stringify(names(other(german))) !== JSON.stringify(wanted) ||
        texts(german).some((text) => names(text).some((name) => !wanted.includes(name)))
      );
    });
    expect(wrong.map(([key]) => key)).toEqual([]);
  });

  it('English and German: no text is empty', () => {
    expect([...Object.values(en), ...Object.values(de)].flatMap(texts).filter((text) => text.trim() === '')).toEqual(
      [],
    );
  });
});

describe('a translator', () => {
  const english = translatorFor('en', 'en-GB');
  const german = translatorFor('de', 'de-DE');

  it('one and many: chooses the plural form and writes the number the language’s way', () => {
    expect(english.t('approval.acts', { n: 1 })).toBe('Approving does 1 act');
    expect(german.t('approval.acts', { n: 1234 })).toBe('Die Freigabe löst 1.234 Handlungen aus');
  });

  it('a value that holds braces: stays text', () => {
    expect(english.t('run.nowAt', { step: '{workflow} {step}' })).toBe('Now at {workflow} {step}');
  });

  it('parts: give the placeholders in their order for rich text', () => {
    expect(english.parts('approval.onOrigin')).toEqual([{ text: 'on ' }, { name: 'origin' }]);
  });

  it.each([
    [420, '420 ms'],
    [1000, '1 sec'],
    [59_999, '59 secs'],
    [200_000, '3 mins 20 secs'],
    [3_600_000, '1 hr'],
    [90_061_000, '1 day 1 hr'],
  ])('duration of %d ms: at most two units (%s)', (ms, words) => {
    expect(english.duration(ms)).toBe(words);
  });

  it('a deadline: is never said to be further away than it is', () => {
    expect(english.relative(90_000, 0)).toBe('in 1 minute');
    expect(english.relative(0, 7_200_000)).toBe('2 hours ago');
    expect(german.relative(90_000, 0)).toBe('in 1 Minute');
  });

  it('small sums: keep four digits, larger ones two', () => {
    expect(english.money(0.0213)).toBe('US$0.0213');
    expect(english.money(12.5)).toBe('US$12.50');
  });
});

describe('the choice of language', () => {
  it.each([
    ['de-AT', 'de'],
    ['en-GB', 'en'],
    ['fr', 'en'],
    ['en-XA', 'en-XA'],
    [undefined, 'en'],
  ])('%s: %s', (tag, language) => {
    expect(languageFor(tag)).toBe(language);
  });

  it('the pseudo-locale: is longer, in brackets, and keeps its placeholders', () => {
    const text = pseudoText('Asked by {workflow}');
    expect(text).toMatch(/^\[.*\{workflow\}.*\]$/);
    expect(text.length).toBeGreaterThan('Asked by {workflow}'.length * 1.4);
    expect(translatorFor('en-XA').t('run.nowAt', { step: 'gate' })).toContain('gate');
  });
});
