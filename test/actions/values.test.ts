import { describe, expect, it } from 'vitest';
import { parseDate, parseNumber } from '../../src/actions/page/extract/values.ts';

describe('numbers as pages write them', () => {
  it.each([
    ['1,234.50', 'en', 1234.5],
    ['1.234,50 €', 'de', 1234.5],
    ['1.234', 'de', 1234],
    ['1.234', 'en', 1.234],
    ['1,234', 'en', 1234],
    ['1,23', 'en', 1.23],
    ['1.5', 'de', 1.5],
    ['1 234,5', 'fr', 1234.5],
    ['1\u202f234,5', 'fr-FR', 1234.5],
    ['12’345.60', 'de-CH', 12345.6],
    ['1.234.567', 'en', 1234567],
    ['1,23,456.7', 'en-IN', 123456.7],
    ['$ -12', 'en', -12],
    ['-$12.00', 'en', -12],
    ['−7 °C', 'en', -7],
    ['(3.50)', 'en', -3.5],
    ['A-12', 'en', 12],
    ['Total: 42.', 'en', 42],
    ['12 %', 'en', 12],
    ['1.2e3', 'en', 1200],
    ['0', 'en', 0],
    ['free', 'en', null],
    ['', 'en', null],
    ['5', 'not a language', 5],
  ])('%s in %s: %s', (text, language, expected) => {
    expect(parseNumber(text, language)).toBe(expected);
  });
});

describe('dates as pages write them', () => {
  it.each([
    ['2026-03-07', 'en', '2026-03-07'],
    ['2026-03-07T09:30:00Z', 'en', '2026-03-07T09:30:00Z'],
    ['2026-03-07 09:30', 'en', '2026-03-07T09:30'],
    ['3/7/2026', 'en-US', '2026-03-07'],
    ['3/7/2026', 'en-GB', '2026-07-03'],
    ['07.03.2026', 'de', '2026-03-07'],
    ['7. März 2026, 14:05 Uhr', 'de', '2026-03-07T14:05'],
    ['March 7, 2026 2:05 PM', 'en', '2026-03-07T14:05'],
    ['Mar 7, 2026', 'en', '2026-03-07'],
    ['7 mars 2026', 'fr', '2026-03-07'],
    ['Mar 7, 2026', 'de', '2026-03-07'],
    ['12/25/26', 'en-US', '2026-12-25'],
    ['25/12/2026', 'en-US', '2026-12-25'],
    ['2026/3/7', 'ja', '2026-03-07'],
    ['31.02.2026', 'de', null],
    ['yesterday', 'en', null],
    ['', 'en', null],
  ])('%s in %s: %s', (text, language, expected) => {
    expect(parseDate(text, language)).toBe(expected);
  });
});
