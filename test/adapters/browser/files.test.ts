import { describe, expect, it } from 'vitest';
import {
  bareName,
  fileName,
  mediaTypeOf,
  nameInAddress,
  readDisposition,
} from '../../../src/adapters/browser/files/name.ts';
import { isGranted } from '../../../src/adapters/browser/granted.ts';

describe('names of files', () => {
  it.each([
    ['report.csv', 'report.csv'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Windows\\evil.exe', 'evil.exe'],
    ['/', undefined],
    ['..', undefined],
    ['  .hidden. ', 'hidden'],
    ['a\u0000b\n.txt', 'ab.txt'],
    ['photo\u202egpj.exe', 'photogpj.exe'],
    ['what?<is>|"this"*:.txt', 'whatisthis.txt'],
    ['CON.txt', '_CON.txt'],
    ['Jahresübersicht 2026 – März.pdf', 'Jahresübersicht 2026 – März.pdf'],
    ['folder/', 'folder'],
  ])('%j is kept as %j', (given, kept) => {
    expect(bareName(given)).toBe(kept);
  });

  it('a long one keeps its ending', () => {
    const name = bareName(`${'x'.repeat(500)}.tar.gz`) as string;
    expect(name).toHaveLength(120);
    expect(name.endsWith('.gz')).toBe(true);
  });

  it('the first suggestion that comes to something; an address gives its last part', () => {
    expect(fileName(undefined, '', '..', 'b.txt', 'c.txt')).toBe('b.txt');
    expect(fileName()).toBe('download');
    expect(nameInAddress('https://a.example/x/%C3%A4.pdf?y=/z')).toBe('ä.pdf');
    expect(nameInAddress('https://a.example/%')).toBe('%');
    expect(nameInAddress('data:text/plain,x/y')).toBe('');
  });
});

describe('what a server says of a file', () => {
  it.each([
    [null, { attachment: false }],
    ['attachment', { attachment: true }],
    ['inline; filename=a.pdf', { attachment: false, name: 'a.pdf' }],
    ['ATTACHMENT; FILENAME="a \\"b\\".txt"', { attachment: true, name: 'a "b".txt' }],
    [`attachment; filename="x.txt"; filename*=UTF-8''%e2%82%ac%20rates.txt`, { attachment: true, name: '€ rates.txt' }],
  ])('%j', (header, said) => {
    expect(readDisposition(header)).toEqual(said);
  });

  it('a media type is taken without parameters, and only where it is one', () => {
    expect(mediaTypeOf('Text/CSV; charset=utf-8')).toBe('text/csv');
    for (const none of ['', null, 'x', 'text/html<script>']) expect(mediaTypeOf(none)).toBe('application/octet-stream');
  });
});

it('access to all pages is asked for as a pattern without a path', async () => {
  const asked: string[] = [];
  const contains = async ({ origins: [origin] }: { origins: string[] }) => {
    asked.push(String(origin));
    return true;
  };
  expect(await isGranted({ contains }, '<all_urls>/*')).toBe(true);
  expect(asked).toEqual(['<all_urls>']);
});
