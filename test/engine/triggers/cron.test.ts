import { describe, expect, it } from 'vitest';
import { isZone, nextTime, parseCron } from '../../../src/engine/triggers/cron.ts';

const BERLIN = 'Europe/Berlin';

/** The next `count` times after a moment, as UTC. */
function times(line: string, zone: string, after: string, count = 1): (string | undefined)[] {
  const cron = parseCron(line);
  const found: (string | undefined)[] = [];
  let at: number | undefined = Date.parse(after);
  while (found.length < count && at !== undefined) {
    at = nextTime(cron, zone, at);
    found.push(at === undefined ? undefined : new Date(at).toISOString().slice(0, 16));
  }
  return found;
}

describe('plain times', () => {
  it.each([
    ['0 9 * * 1', BERLIN, '2026-01-05T07:59:59Z', ['2026-01-05T08:00', '2026-01-12T08:00']],
    ['0 9 * * 1', BERLIN, '2026-01-05T08:00:00Z', ['2026-01-12T08:00']],
    ['*/15 * * * *', 'UTC', '2026-01-01T23:50:00Z', ['2026-01-02T00:00', '2026-01-02T00:15']],
    ['5-20/5 8-9 * * *', 'UTC', '2026-01-01T08:15:00Z', ['2026-01-01T08:20', '2026-01-01T09:05']],
    ['0 0 1,15 * *', 'UTC', '2026-01-02T00:00:00Z', ['2026-01-15T00:00', '2026-02-01T00:00']],
    ['0 0 31 * *', 'UTC', '2026-01-31T00:00:00Z', ['2026-03-31T00:00', '2026-05-31T00:00', '2026-07-31T00:00']],
    ['0 0 29 2 *', 'UTC', '2026-01-01T00:00:00Z', ['2028-02-29T00:00', '2032-02-29T00:00']],
    ['0 0 29 2 *', 'UTC', '2096-03-01T00:00:00Z', ['2104-02-29T00:00']],
    ['30 23 31 12 *', 'UTC', '2026-12-31T23:30:00Z', ['2027-12-31T23:30']],
    ['* * * * *', 'UTC', '2026-01-01T00:00:30Z', ['2026-01-01T00:01', '2026-01-01T00:02']],
    ['3/20 * * * *', 'UTC', '2026-01-01T00:00:00Z', ['2026-01-01T00:03', '2026-01-01T00:23', '2026-01-01T00:43']],
    ['0 6 * JAN-mar MON,Fri', 'UTC', '2026-03-28T00:00:00Z', ['2026-03-30T06:00', '2027-01-01T06:00']],
    ['0 0 * * *', 'Asia/Kolkata', '2026-01-01T00:00:00Z', ['2026-01-01T18:30']],
  ])('%s in %s after %s', (line, zone, after, expected) => {
    expect(times(line, zone, after, expected.length)).toEqual(expected);
  });
});

describe('days of the week', () => {
  it.each(['0', '7', 'sun'])('%s is Sunday', (day) => {
    expect(times(`0 12 * * ${day}`, 'UTC', '2026-01-01T00:00:00Z', 2)).toEqual([
      '2026-01-04T12:00',
      '2026-01-11T12:00',
    ]);
  });

  it('a range up to 7 ends on Sunday, and a step over all days begins there', () => {
    expect(times('0 12 * * 6-7', 'UTC', '2026-01-01T00:00:00Z', 2)).toEqual(['2026-01-03T12:00', '2026-01-04T12:00']);
    expect(times('0 12 * * */3', 'UTC', '2026-01-01T00:00:00Z', 3)).toEqual([
      '2026-01-03T12:00',
      '2026-01-04T12:00',
      '2026-01-07T12:00',
    ]);
  });

  it('day of month and day of week: either is enough where both are named, both must fit where one begins with *', () => {
    expect(times('0 0 13 * 5', 'UTC', '2026-01-01T00:00:00Z', 3)).toEqual([
      '2026-01-02T00:00',
      '2026-01-09T00:00',
      '2026-01-13T00:00',
    ]);
    expect(times('0 0 */2 * 5', 'UTC', '2026-01-01T00:00:00Z', 2)).toEqual(['2026-01-09T00:00', '2026-01-23T00:00']);
  });
});

describe('clocks put forward and back', () => {
  it('a time that is skipped: the moment at which the clock goes on, once', () => {
    expect(times('30 2 * * *', BERLIN, '2026-03-28T12:00:00Z', 2)).toEqual(['2026-03-29T01:00', '2026-03-30T00:30']);
    expect(times('*/20 2 * * *', BERLIN, '2026-03-28T12:00:00Z', 2)).toEqual(['2026-03-29T01:00', '2026-03-30T00:00']);
  });

  it('a time that is there twice: the first only', () => {
    expect(times('30 2 * * *', BERLIN, '2026-10-24T12:00:00Z', 2)).toEqual(['2026-10-25T00:30', '2026-10-26T01:30']);
    expect(times('30 2 * * *', BERLIN, '2026-10-25T01:00:00Z')).toEqual(['2026-10-26T01:30']);
  });

  it('every so many minutes: goes on by elapsed time through both', () => {
    expect(times('*/30 * * * *', BERLIN, '2026-10-25T00:00:00Z', 4)).toEqual([
      '2026-10-25T00:30',
      '2026-10-25T01:00',
      '2026-10-25T01:30',
      '2026-10-25T02:00',
    ]);
    expect(times('*/30 * * * *', BERLIN, '2026-03-29T00:29:00Z', 3)).toEqual([
      '2026-03-29T00:30',
      '2026-03-29T01:00',
      '2026-03-29T01:30',
    ]);
  });

  it('half an hour (Lord Howe), midnight (Beirut) and a whole day (Apia, 2011)', () => {
    expect(times('15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T12:00:00Z')).toEqual(['2026-10-03T15:30']);
    expect(times('0 0 * * *', 'Asia/Beirut', '2026-03-28T12:00:00Z')).toEqual(['2026-03-28T22:00']);
    expect(times('0 12 * * *', 'Pacific/Apia', '2011-12-29T23:00:00Z', 2)).toEqual([
      '2011-12-30T10:00',
      '2011-12-30T22:00',
    ]);
  });

  it('any two times follow one another', () => {
    for (const line of ['*/7 * * * *', '0 */5 * * *', '10 1-3 * * 0', '59 23 * * *']) {
      for (const zone of [BERLIN, 'America/New_York', 'Australia/Lord_Howe', 'Asia/Beirut']) {
        let at = Date.parse('2026-03-01T00:00:00Z');
        for (let turn = 0; turn < 300; turn++) {
          const next = nextTime(parseCron(line), zone, at) as number;
          expect(next).toBeGreaterThan(at);
          at = next;
        }
      }
    }
  });
});

describe('what is no cron line', () => {
  it.each([
    ['', 'this has 0'],
    ['0 9 * *', 'this has 4'],
    ['0 0 9 * * 1', 'this has 6'],
    ['@daily', 'this has 1'],
    ['60 * * * *', 'minute from 0 to 59, not 60'],
    ['* 24 * * *', 'hour from 0 to 23, not 24'],
    ['* * 0 * *', 'day of month from 1 to 31, not 0'],
    ['* * * 13 *', 'month from 1 to 12, not 13'],
    ['* * * * 8', 'day of week from 0 to 7, not 8'],
    ['*/0 * * * *', 'Correct the minute'],
    ['5-1 * * * *', 'begins after its end'],
    ['1,,2 * * * *', 'Correct the minute'],
    ['1-2-3 * * * *', 'Correct the minute'],
    ['-5 * * * *', 'Correct the minute'],
    ['* * L * *', 'Correct the day of month'],
    ['* * * * mon#2', 'Correct the day of week'],
    ['0 0 31 2 *', 'no month that is named has this one'],
    ['0 0 31 4,6 *', 'no month that is named has this one'],
  ])('%s', (line, message) => {
    expect(() => parseCron(line)).toThrow(message);
  });

  it('zones are IANA names', () => {
    expect(['Europe/Berlin', 'UTC', 'Mars/Base', '', 'CEST+'].map(isZone)).toEqual([true, true, false, false, false]);
  });
});
