import type { KnowledgeDocument, KnowledgeIndexRow, KnowledgePassage } from '../../model/knowledge.ts';
import { redactText, scanText } from '../secrets/index.ts';
import { passagesOf } from './passages.ts';
import { termsOf } from './tokens.ts';

/** Changes with what the rows of an index mean; a stored index of another format is built anew. */
export const INDEX_FORMAT = 1;
/** A word of the title or of a heading counts as so many in the text. */
const TITLE_WEIGHT = 3;
const MOST_COUNTED = 0xffff;

/**
 * The index of one document, and its passages. Secrets are replaced before the text is cut: half of one would no longer look like one, and
 * would be found, shown and put before a prompt.
 * @param n of its last write
 */
export function indexOf(
  document: KnowledgeDocument,
  n: number,
): { row: KnowledgeIndexRow; passages: KnowledgePassage[] } {
  const { content, ...rest } = document;
  const title = redactText(rest.title);
  const about = { ...rest, title };
  const { documentId } = about;
  const secrets = [...new Set([rest.title, content].flatMap(scanText).map(({ kind }) => kind))];
  const found = passagesOf(secrets.length > 0 ? redactText(content) : content);
  // One without text can still be found by its title.
  if (found.length === 0) found.push({ headings: [], text: '' });
  const postings = new Map<string, [passage: number, count: number][]>();
  const lengths = found.map(({ headings, text }, i) => {
    const counts = new Map<string, number>();
    let length = 0;
    const count = (words: string, weight: number): void => {
      for (const term of termsOf(words)) {
        counts.set(term, (counts.get(term) ?? 0) + weight);
        length += 1;
      }
    };
    count([title, ...headings].join(' '), TITLE_WEIGHT);
    count(text, 1);
    for (const [term, often] of counts) {
      const posting = postings.get(term);
      if (posting) posting.push([i, often]);
      else postings.set(term, [[i, often]]);
    }
    return length;
  });
  const passages = found.map(({ headings, text }, i) => ({ documentId, i, n, headings, text }));
  const entry = { ...about, size: content.length, passages: passages.length, ...(secrets.length > 0 && { secrets }) };
  return { row: { ...entry, n, lengths: Uint32Array.from(lengths), ...packed(postings) }, passages };
}

function packed(
  postings: Map<string, [number, number][]>,
): Pick<KnowledgeIndexRow, 'terms' | 'starts' | 'at' | 'counts'> {
  // Without a comparison: by code units, as `<` compares.
  const terms = [...postings.keys()].sort();
  const all = terms.flatMap((term) => postings.get(term) ?? []);
  const starts = new Uint32Array(terms.length + 1);
  for (const [index, term] of terms.entries())
    starts[index + 1] = (starts[index] as number) + (postings.get(term)?.length ?? 0);
  return {
    terms: terms.map((term) => `${term}\n`).join(''),
    starts,
    at: Uint32Array.from(all, ([passage]) => passage),
    counts: Uint16Array.from(all, ([, count]) => Math.min(count, MOST_COUNTED)),
  };
}
