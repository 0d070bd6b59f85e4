import { describe, expect, it } from 'vitest';
import { MESSAGE_MOST, NOTES_MOST, writeAnswerMark } from '../../../src/adapters/browser/dialogs/channel.ts';
import { DialogNotes } from '../../../src/adapters/browser/dialogs/notes.ts';

const note = (n: number, message = `m${n}`) => ({ n, type: 'confirm', message, accepted: false });

describe('notes of dialogs, as pages tell them', () => {
  it('told twice, by message and when asked: listed once, in their order', () => {
    const notes = new DialogNotes();
    notes.add(1, 'doc', [note(1)]);
    notes.add(1, 'doc', [note(1), note(2)]);
    expect(notes.take(1).map(({ message }) => message)).toEqual(['m1', 'm2']);
    notes.add(1, 'doc', [note(2), note(3)]);
    expect(notes.take(1).map(({ message }) => message)).toEqual(['m3']);
    expect(notes.take(1)).toEqual([]);
  });

  it('two documents and two tabs: each counts for itself', () => {
    const notes = new DialogNotes();
    notes.add(1, 'a', [note(1, 'a1')]);
    notes.add(1, 'b', [note(1, 'b1')]);
    notes.add(2, 'a', [note(1, 'other tab')]);
    expect(notes.take(1).map(({ message }) => message)).toEqual(['a1', 'b1']);
    expect(notes.taken(1)).toEqual({ a: 1, b: 1 });
    notes.forget(2);
    expect(notes.take(2)).toEqual([]);
  });

  it.each<[string, unknown, unknown]>([
    ['a document that is no text', 7, [note(1)]],
    ['a document with a very long name', 'x'.repeat(101), [note(1)]],
    ['no list', 'doc', { length: 1 }],
    ['a type of its own', 'doc', [{ ...note(1), type: 'approval' }]],
    ['a number that is none', 'doc', [{ ...note(1), n: '1' }]],
    ['a message that is no text', 'doc', [{ ...note(1), message: { a: 1 } }]],
    ['nothing', 'doc', [null, undefined, 4]],
  ])('%s: nothing is kept', (_, document, list) => {
    const notes = new DialogNotes();
    notes.add(1, document, list);
    expect(notes.take(1)).toEqual([]);
  });

  it('long texts are cut, extra keys dropped, and there is an end to their number', () => {
    const notes = new DialogNotes();
    notes.add(1, 'doc', [{ ...note(1, 'x'.repeat(5000)), text: 'y'.repeat(5000), run: 'r1' }]);
    const [first] = notes.take(1);
    expect(Object.keys(first ?? {})).toEqual(['type', 'message', 'accepted', 'text']);
    expect([String(first?.message).length, String(first?.text).length]).toEqual([MESSAGE_MOST, MESSAGE_MOST]);
    for (let i = 0; i < 20; i++)
      notes.add(
        1,
        `d${i}`,
        Array.from({ length: 50 }, (_, n) => note(n + 1)),
      );
    expect(notes.take(1)).toHaveLength(NOTES_MOST);
    for (let i = 0; i < 500; i++) notes.add(1, `e${i}`, [note(1)]);
    expect(Object.keys(notes.taken(1)).length).toBeLessThanOrEqual(50);
  });
});

describe('the answer in a header', () => {
  it('holds no character that would end it', () => {
    const mark = writeAnswerMark({ accept: true, text: 'a "b", c;\r\nd=ü' });
    expect(mark).toMatch(/^[\w%.!~*'()-]+$/);
    expect(JSON.parse(decodeURIComponent(mark))).toEqual({ accept: true, text: 'a "b", c;\r\nd=ü' });
  });
});
