import { describe, expect, it } from 'vitest';
import { cut, decodeText, kindOf, titleOf } from '../../src/view/documents/kinds.ts';
import { type PdfPiece, pdfText } from '../../src/view/documents/pdf-text.ts';
import { tableText } from '../../src/view/documents/table.ts';

describe('what a file is', () => {
  it.each([
    ['a.md', '', 'markdown'],
    ['A.HTML', '', 'html'],
    ['b.tsv', '', 'csv'],
    ['c.pdf', '', 'pdf'],
    ['notes', 'text/plain; charset=utf-8', 'text'],
    ['notes', 'text/html', 'html'],
    ['a.constructor', '', undefined],
    ['picture.png', 'image/png', undefined],
    ['noending', '', undefined],
  ])('%s (%s): %s', (name, type, kind) => {
    expect(kindOf(name, type)).toBe(kind);
  });
});

describe('the bytes of a text', () => {
  const bytes = (...all: number[]) => Uint8Array.from(all);
  it.each([
    ['UTF-8', new TextEncoder().encode('Grüße 🧵'), 'Grüße 🧵'],
    ['UTF-8 with its mark', bytes(0xef, 0xbb, 0xbf, 0x61), 'a'],
    ['UTF-16, little end first', bytes(0xff, 0xfe, 0x61, 0x00, 0xfc, 0x00), 'aü'],
    ['UTF-16, big end first', bytes(0xfe, 0xff, 0x00, 0x61), 'a'],
    ['Windows-1252', bytes(0x47, 0x72, 0xfc, 0xdf, 0x65, 0x80), 'Grüße€'],
    ['nothing', bytes(), ''],
    ['no text', bytes(0x50, 0x4b, 0x00, 0x04), undefined],
  ])('%s', (_, given, text) => {
    expect(decodeText(given)).toBe(text);
  });
});

describe('a title', () => {
  it.each([
    ['Intro\n# The guide ##\n## Part', 'docs/guide.md', 'The guide'],
    ['## Part only', 'docs/My guide.md', 'My guide'],
    ['', 'notes', 'notes'],
    ['', '.md', '.md'],
  ])('%j of %s', (content, name, title) => {
    expect(titleOf(content, name)).toBe(title);
  });

  it('fits on one line', () => {
    expect(cut(` a\n b${'x'.repeat(300)}`)).toHaveLength(200);
    expect(cut('  ')).toBe('');
  });
});

describe('a table', () => {
  it('becomes lines that say their columns', () => {
    expect(tableText('\uFEFFanimal,price\ndormouse,5\n"elk, ""large""\nand old",\n\n')).toBe(
      'Columns: animal; price\nanimal: dormouse; price: 5\nanimal: elk, "large" and old',
    );
  });

  it('with tabs, unnamed and further columns, or nothing in it', () => {
    expect(tableText('a\t\nx\ty\tz\n')).toBe('Columns: a; column 2\na: x; column 2: y; column 3: z');
    expect(tableText('')).toBe('');
  });
});

describe('the text of a PDF', () => {
  const piece = (str: string, y: number, hasEOL = true): PdfPiece => ({
    str,
    hasEOL,
    transform: [12, 0, 0, 12, 72, y],
    height: 12,
  });

  it('has its pages under headings, its paragraphs apart, and divided words whole', () => {
    const page = [piece('One ', 700, false), piece('line, trans-', 700), piece('formed.', 686), piece('Next.', 640)];
    expect(pdfText([page, [], [piece('# 3', 700)]])).toBe(
      '## Page 1\n\nOne line, transformed.\n\nNext.\n\n## Page 2\n\n## Page 3\n\n # 3',
    );
  });

  it('is empty where there are pictures only', () => {
    expect(pdfText([[], [piece(' ', 700)]])).toBe('');
  });
});
