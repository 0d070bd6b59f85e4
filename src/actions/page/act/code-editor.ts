import { flatParent, matches } from '../dom.ts';

/** Editors whose own field holds a part of their text at most: the rest is drawn in lines, and only those that are in view. */
const EDITORS: readonly { host: string; lines: string }[] = [
  { host: '.monaco-editor', lines: '.view-lines .view-line' },
  { host: '.cm-editor', lines: '.cm-content > .cm-line' },
  { host: '.CodeMirror', lines: '.CodeMirror-line' },
  { host: '.ace_editor', lines: '.ace_text-layer .ace_line' },
];

/** The lines of text of a code editor that are drawn, from the top; undefined for what sits in none. */
export function drawnLines(element: Element): string[] | undefined {
  for (let node: Element | null = element; node; node = flatParent(node)) {
    const editor = EDITORS.find(({ host }) => node && matches(node, host));
    if (!editor) continue;
    return [...node.querySelectorAll<HTMLElement>(editor.lines)]
      .map((line) => ({ line, top: line.getBoundingClientRect().top }))
      .sort((a, b) => a.top - b.top)
      .map(({ line }) => clean(line.textContent ?? ''));
  }
  return undefined;
}

/** Whether drawn lines show a text: all of it, or a run of its lines where not all are drawn. */
export function showsText(drawn: readonly string[], text: string): boolean {
  const wanted = text.replace(/\r\n?/g, '\n').split('\n').map(clean);
  const shown = drawn.length === 0 ? [''] : drawn;
  if (shown.length >= wanted.length) {
    return shown.every((line, index) => line === (wanted[index] ?? ''));
  }
  return wanted.some(
    (_, start) => start + shown.length <= wanted.length && shown.every((line, i) => line === wanted[start + i]),
  );
}

/** Editors draw spaces as such that do not break, and empty lines as one that is not seen. */
function clean(line: string): string {
  return line
    .replace(/\u00a0/g, ' ')
    .replace(/[\u200b-\u200d\ufeff]/g, '')
    .trimEnd();
}
