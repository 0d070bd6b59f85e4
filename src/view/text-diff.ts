/** A stretch of a text diff. */
export interface DiffPart {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

const MAX_CELLS = 250_000;

/**
 * Differences of two texts, word by word (short texts) or line by line (long ones). Joined, `same` and `removed` give `before`;
 * `same` and `added` give `after`. Very different long texts come as one removed and one added part.
 */
export function textDiff(before: string, after: string): DiffPart[] {
  if (before === after) return before === '' ? [] : [{ kind: 'same', text: before }];
  const long = before.length + after.length > 2000;
  const cut = long ? /(?<=\n)/ : /(?<=\s)(?=\S)|(?<=\S)(?=\s)/;
  const a = before === '' ? [] : before.split(cut);
  const b = after === '' ? [] : after.split(cut);

  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const middle = between(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return merge([...a.slice(0, start).map(same), ...middle, ...a.slice(a.length - end).map(same)]);
}

const same = (text: string): DiffPart => ({ kind: 'same', text });

function between(a: string[], b: string[]): DiffPart[] {
  if (a.length * b.length > MAX_CELLS)
    return [
      { kind: 'removed', text: a.join('') },
      { kind: 'added', text: b.join('') },
    ];
  // Longest common subsequence, from the end, so that it can be read off forwards.
  const width = b.length + 1;
  const table = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => table[i * width + j] as number;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      table[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const parts: DiffPart[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      parts.push(same(a[i] as string));
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) {
      parts.push({ kind: 'removed', text: a[i] as string });
      i += 1;
    } else {
      parts.push({ kind: 'added', text: b[j] as string });
      j += 1;
    }
  }
  return parts;
}

function merge(parts: DiffPart[]): DiffPart[] {
  const merged: DiffPart[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (part.text === '') continue;
    if (last?.kind === part.kind) last.text += part.text;
    else merged.push({ ...part });
  }
  return merged;
}
