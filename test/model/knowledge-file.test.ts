import { describe, expect, it } from 'vitest';
import { readKnowledgeFile, writeKnowledgeFile } from '../../src/model/knowledge-file.ts';
import { documentIdOf, freeId } from '../../src/model/knowledge-names.ts';

const ROW = { id: 'a', title: 'A', content: 'text', collections: ['c'] };
const file = (more: object) => JSON.stringify({ format: 'tabloom-knowledge/v1', documents: [ROW], ...more });

describe('an exported file', () => {
  it('is read back as it was written', () => {
    const documents = [
      {
        documentId: 'a/b',
        revision: 'r',
        title: 'Grüße 🧵 </script>',
        content: '# {{x}}\n',
        collections: ['finance'],
        source: { kind: 'pdf' as const, name: 'a/b.pdf' },
        updatedAt: 1,
      },
      { documentId: 'empty', revision: 'r', title: 'Empty', content: '', collections: [], updatedAt: 1 },
    ];
    expect(readKnowledgeFile(`\uFEFF${writeKnowledgeFile(documents)}`)).toEqual({
      documents: documents.map(({ documentId: id, revision: _, updatedAt: __, ...rest }) => ({ id, ...rest })),
    });
  });

  it.each([
    ['', 'notJson', undefined],
    ['{"format": ', 'notJson', undefined],
    ['[]', 'notKnowledge', undefined],
    ['{"format": "tabloom/v1"}', 'notKnowledge', undefined],
    [file({ format: 'tabloom-knowledge/v2' }), 'newer', undefined],
    [file({ documents: {} }), 'unfit', 'documents'],
    [file({ documents: [ROW, { ...ROW, id: '#b' }] }), 'unfit', 'documents.1.id'],
    [file({ documents: [{ ...ROW, content: 5 }] }), 'unfit', 'documents.0.content'],
    [file({ documents: [{ ...ROW, title: ' ' }] }), 'unfit', 'documents.0.title'],
    [file({ documents: [{ ...ROW, source: { kind: 'exe' } }] }), 'unfit', 'documents.0.source.kind'],
    [file({ documents: [ROW, ROW] }), 'twice', 'a'],
  ])('with a fault is not taken, not in part either: %s', (text, reason, where) => {
    const read = readKnowledgeFile(text);
    expect(read).toMatchObject({ fault: { reason, ...(where !== undefined && { where }) } });
  });
});

describe('ids of documents', () => {
  it.each([
    ['Müller & Co/Policy v2.md', 'muller-co/policy-v2'],
    ['Report 2026.tar.gz', 'report-2026-tar'],
    ['#finance', 'finance'],
    ['../..//x.txt', 'x'],
    ['価格表.pdf', '価格表'],
    ['!!!', 'document'],
    ['', 'document'],
    ['x'.repeat(500), 'x'.repeat(180)],
  ])('are made of names: %s', (name, id) => {
    expect(documentIdOf(name)).toBe(id);
  });

  it('are told apart by a number', () => {
    expect(freeId('a', new Set(['a', 'a-2']))).toBe('a-3');
    expect(freeId('b', new Set(['a']))).toBe('b');
  });
});
