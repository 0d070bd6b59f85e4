import { bare, tidy } from '../text.ts';

/**
 * Text of an editable region as a person counts its lines: one line for each paragraph and each break. A browser's own `innerText` puts an
 * empty line between paragraphs, which nobody has typed.
 */
export function richText(region: Element): string {
  const written: Written = { lines: [], open: false, space: false };
  writeChildren(region, written);
  return written.lines.join('\n');
}

/** Whether texts have the same lines; white space within one counts as it is drawn, and many an editor keeps an empty line at its end. */
export function sameLines(now: string, wanted: string): boolean {
  const lines = (text: string): string =>
    text
      .split(/\r\n?|\n/)
      .map((line) => tidy(bare(line)))
      .join('\n')
      .replace(/\n+$/, '');
  return lines(now) === lines(wanted);
}

interface Written {
  lines: string[];
  /** The last line goes on; else what comes next begins one. */
  open: boolean;
  /** White space that counts only if something follows it in its line. */
  space: boolean;
}

const UNREAD = new Set(['script', 'style', 'template', 'noscript']);

function writeChildren(parent: Element, written: Written): void {
  const style = getComputedStyle(parent);
  for (const child of parent.childNodes) {
    if (child instanceof Text) {
      if (style.visibility !== 'hidden') writeText(child.data, style, written);
    } else if (child instanceof Element) writeElement(child, written);
  }
}

function writeElement(element: Element, written: Written): void {
  if (element.localName === 'br') {
    // What follows is a line of its own; one at the end of a block only holds the block's last line open.
    begin(written);
    close(written);
    return;
  }
  const { display } = getComputedStyle(element);
  if (display === 'none' || UNREAD.has(element.localName)) return;
  const block = !/^(inline|contents|ruby)/.test(display);
  if (block) close(written);
  writeChildren(element, written);
  if (block) close(written);
}

function writeText(data: string, style: CSSStyleDeclaration, written: Written): void {
  const text = data.replace(/[\u200b\ufeff]/g, '');
  if (/^pre|^break-spaces/.test(style.whiteSpace)) {
    for (const [index, line] of text.split('\n').entries()) {
      if (index > 0) {
        begin(written);
        close(written);
      }
      if (line !== '') append(line, written);
    }
    return;
  }
  // Where white space collapses, a space that counts is one that does not break.
  for (const part of text.split(/([ \t\n\r\f]+)/)) {
    if (part === '') continue;
    if (/^[ \t\n\r\f]/.test(part)) written.space = written.open;
    else append(part.replace(/\u00a0/g, ' '), written);
  }
}

function append(text: string, written: Written): void {
  const space = written.space ? ' ' : '';
  begin(written);
  written.lines[written.lines.length - 1] += space + text;
}

function begin(written: Written): void {
  if (!written.open) written.lines.push('');
  written.open = true;
  written.space = false;
}

function close(written: Written): void {
  written.open = false;
  written.space = false;
}
