/** Longest passage, in characters; a heading begins a new one in any case. */
const MAX_PASSAGE = 1200;

/** A piece of a document that is found, and shown, by itself. */
export interface Passage {
  /** Headings above it, the nearest last, without the text of the passage. */
  headings: string[];
  text: string;
}

/** A document cut at its headings (Markdown's `#`), and long parts of it at paragraphs, lines and words. */
export function passagesOf(content: string): Passage[] {
  const passages: Passage[] = [];
  const above: { level: number; text: string }[] = [];
  let lines: string[] = [];
  const close = (): void => {
    const headings = above.map(({ text }) => text);
    for (const text of cut(lines.join('\n').trim())) passages.push({ headings, text });
    lines = [];
  };
  let fenced = false;
  for (const line of content.split(/\r?\n/)) {
    if (/^\s*(```|~~~)/.test(line)) fenced = !fenced;
    const heading = fenced ? null : /^(#{1,6})\s+(\S.*)$/.exec(line);
    if (heading) {
      close();
      const [, marks = '', text = ''] = heading;
      while ((above.at(-1)?.level ?? 0) >= marks.length) above.pop();
      above.push({ level: marks.length, text: text.replace(/\s#+\s*$/, '').trim() });
    }
    lines.push(line);
  }
  close();
  return passages;
}

/** A text in pieces of bounded length. */
function cut(text: string): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > MAX_PASSAGE) {
    const at = breakBefore(rest, MAX_PASSAGE);
    pieces.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at).trimStart();
  }
  if (rest !== '') pieces.push(rest);
  return pieces;
}

/** Where a text is best cut so that what is before has at most `most` characters: a paragraph, a line, a word, or at least a whole character. */
export function breakBefore(text: string, most: number): number {
  for (const mark of ['\n\n', '\n', ' ']) {
    const at = text.lastIndexOf(mark, most);
    if (at > most / 2) return at;
  }
  const high = text.charCodeAt(most - 1);
  return high >= 0xd800 && high < 0xdc00 ? most - 1 : most;
}
