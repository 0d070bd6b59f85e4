import { type Field, isField, moveSelection, select, selectionOf, wordEnd, wordStart } from './caret.ts';

export interface Moving {
  /** The selection goes along, as with Shift. */
  extend: boolean;
  /** By words or to the ends of all text, as with Control. */
  words: boolean;
}

/** Moves the caret by a key of the keyboard; nothing on others. */
export function moveCaret(element: HTMLElement, key: string, how: Moving): void {
  if (!isField(element)) {
    moveInRegion(key, how);
    return;
  }
  const at = selectionOf(element);
  if (!at) return;
  const backward = element.selectionDirection === 'backward';
  const anchor = backward ? at.end : at.start;
  const focus = backward ? at.start : at.end;
  const to = destination(element, key, how, focus, at);
  if (to !== undefined) select(element, how.extend ? anchor : to, to);
}

function destination(
  field: Field,
  key: string,
  { extend, words }: Moving,
  focus: number,
  { start, end }: { start: number; end: number },
): number | undefined {
  const { value } = field;
  const lineStart = value.lastIndexOf('\n', focus - 1) + 1;
  const nextBreak = value.indexOf('\n', focus);
  const lineEnd = nextBreak === -1 ? value.length : nextBreak;
  switch (key) {
    case 'ArrowLeft':
      if (words) return wordStart(value, focus);
      return !extend && start !== end ? start : Math.max(0, focus - 1);
    case 'ArrowRight':
      if (words) return wordEnd(value, focus);
      return !extend && start !== end ? end : Math.min(value.length, focus + 1);
    case 'ArrowUp': {
      if (lineStart === 0) return 0;
      const above = value.lastIndexOf('\n', lineStart - 2) + 1;
      return Math.min(above + (focus - lineStart), lineStart - 1);
    }
    case 'ArrowDown': {
      if (lineEnd === value.length) return value.length;
      const below = value.indexOf('\n', lineEnd + 1);
      return Math.min(lineEnd + 1 + (focus - lineStart), below === -1 ? value.length : below);
    }
    case 'Home':
      return words ? 0 : lineStart;
    case 'End':
      return words ? value.length : lineEnd;
    case 'PageUp':
      return 0;
    case 'PageDown':
      return value.length;
    default:
      return undefined;
  }
}

/** By direction and unit, as a selection is moved by a script. */
const MOVES: Record<string, [direction: string, unit: string, far: string]> = {
  ArrowLeft: ['left', 'character', 'word'],
  ArrowRight: ['right', 'character', 'word'],
  ArrowUp: ['backward', 'line', 'paragraph'],
  ArrowDown: ['forward', 'line', 'paragraph'],
  Home: ['backward', 'lineboundary', 'documentboundary'],
  End: ['forward', 'lineboundary', 'documentboundary'],
};

function moveInRegion(key: string, { extend, words }: Moving): void {
  const move = MOVES[key];
  if (!move) return;
  moveSelection(extend ? 'extend' : 'move', move[0], words ? move[2] : move[1]);
}
