import type { KnowledgeDocument, KnowledgeHit } from '../../model/knowledge.ts';
import { type Passage, passagesOf } from './passages.ts';
import { termsOf, tokens } from './tokens.ts';

/** BM25's usual settings: how soon repetition stops to count, and how much length does. */
const K1 = 1.2;
const B = 0.75;
/** A word of the title or of a heading counts as so many in the text. */
const TITLE_WEIGHT = 3;
/** What a word counts that only begins like the one asked for, or is the beginning of it: zebra and zebras. */
const ALIKE_WEIGHT = 0.5;
/** Shortest common beginning, and most letters that may follow it. */
const ALIKE_FROM = 4;
const ALIKE_REST = 3;
/** Characters of an excerpt, and of those before the first word that was found. */
const EXCERPT = 240;
const EXCERPT_BEFORE = 60;

interface Entry {
  document: KnowledgeDocument;
  passage: Passage;
  /** How often each word is in it, those of title and headings with their weight. */
  counts: Map<string, number>;
  length: number;
}

/** A full-text index in memory: BM25 over the passages of documents. The same documents and query always give the same hits. */
export class SearchIndex {
  readonly #documents = new Map<string, Entry[]>();
  readonly #postings = new Map<string, Set<Entry>>();
  #passages = 0;
  #words = 0;

  /** Puts a document in, in place of what was there under its id. */
  put(document: KnowledgeDocument): void {
    this.#remove(document.documentId);
    const entries = passagesOf(document.content).map((passage) => entryOf(document, passage));
    // One without text can still be found by its title.
    if (entries.length === 0) entries.push(entryOf(document, { headings: [], text: '' }));
    this.#documents.set(document.documentId, entries);
    for (const entry of entries) {
      this.#passages += 1;
      this.#words += entry.length;
      for (const term of entry.counts.keys()) {
        const posting = this.#postings.get(term);
        if (posting) posting.add(entry);
        else this.#postings.set(term, new Set([entry]));
      }
    }
  }

  /** The best passage of each document that holds a word of the query, best first. */
  search(query: string, limit: number, collection?: string): KnowledgeHit[] {
    const best = new Map<string, { entry: Entry; score: number }>();
    for (const [entry, score] of this.#scores(query)) {
      const { documentId, collections } = entry.document;
      if (collection !== undefined && !collections.includes(collection)) continue;
      const known = best.get(documentId);
      if (!known || score > known.score) best.set(documentId, { entry, score });
    }
    return [...best.values()]
      .sort((a, b) => b.score - a.score || (a.entry.document.documentId < b.entry.document.documentId ? -1 : 1))
      .slice(0, limit)
      .map(({ entry, score }) => ({
        documentId: entry.document.documentId,
        title: entry.document.title,
        excerpt: excerptOf(entry.passage.text, query),
        score: Math.round(score * 10_000) / 10_000,
      }));
  }

  #scores(query: string): Map<Entry, number> {
    const scores = new Map<Entry, number>();
    const average = this.#words / Math.max(1, this.#passages);
    for (const asked of new Set(termsOf(query))) {
      // For one word asked for, a passage counts what it holds best: the word itself, or one like it.
      const gains = new Map<Entry, number>();
      for (const [term, posting] of this.#postings) {
        const weight = term === asked ? 1 : alike(term, asked) ? ALIKE_WEIGHT : 0;
        if (weight === 0) continue;
        const rarity = Math.log(1 + (this.#passages - posting.size + 0.5) / (posting.size + 0.5));
        for (const entry of posting) {
          const count = entry.counts.get(term) ?? 0;
          const long = 1 - B + (B * entry.length) / Math.max(1, average);
          const gain = weight * rarity * ((count * (K1 + 1)) / (count + K1 * long));
          if (gain > (gains.get(entry) ?? 0)) gains.set(entry, gain);
        }
      }
      for (const [entry, gain] of gains) scores.set(entry, (scores.get(entry) ?? 0) + gain);
    }
    return scores;
  }

  #remove(documentId: string): void {
    for (const entry of this.#documents.get(documentId) ?? []) {
      this.#passages -= 1;
      this.#words -= entry.length;
      for (const term of entry.counts.keys()) {
        const posting = this.#postings.get(term);
        posting?.delete(entry);
        if (posting?.size === 0) this.#postings.delete(term);
      }
    }
    this.#documents.delete(documentId);
  }
}

function entryOf(document: KnowledgeDocument, passage: Passage): Entry {
  const counts = new Map<string, number>();
  let length = 0;
  const count = (text: string, weight: number): void => {
    for (const term of termsOf(text)) {
      counts.set(term, (counts.get(term) ?? 0) + weight);
      length += 1;
    }
  };
  count([document.title, ...passage.headings].join(' '), TITLE_WEIGHT);
  count(passage.text, 1);
  return { document, passage, counts, length };
}

function alike(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length >= ALIKE_FROM && long.length - short.length <= ALIKE_REST && long.startsWith(short);
}

/** A part of a passage around the first word that was asked for, on one line. */
function excerptOf(text: string, query: string): string {
  const asked = [...new Set(termsOf(query))];
  let first = 0;
  for (const { term, start } of tokens(text)) {
    if (!asked.some((each) => each === term || alike(each, term))) continue;
    first = start;
    break;
  }
  const from = first <= EXCERPT_BEFORE ? 0 : afterSpace(text, first - EXCERPT_BEFORE, first);
  const to = from + EXCERPT >= text.length ? text.length : beforeSpace(text, from + EXCERPT, first);
  const line = text.slice(from, to).toWellFormed().replace(/\s+/g, ' ').trim();
  return `${from > 0 ? '… ' : ''}${line}${to < text.length ? ' …' : ''}`;
}

function afterSpace(text: string, at: number, most: number): number {
  const space = text.slice(at, most).search(/\s/);
  return space < 0 ? at : at + space + 1;
}

function beforeSpace(text: string, at: number, least: number): number {
  const space = text.lastIndexOf(' ', at);
  return space > least ? space : at;
}
