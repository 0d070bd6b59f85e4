import type { KnowledgeEntry, KnowledgeIndexRow } from '../../model/knowledge.ts';
import { termsOf } from './tokens.ts';

/** BM25's usual settings: how soon repetition stops to count, and how much length does. */
const K1 = 1.2;
const B = 0.75;
/** What a word counts that only begins like the one asked for, or is the beginning of it: zebra and zebras. */
const ALIKE_WEIGHT = 0.5;
/** Shortest common beginning, and most letters that may follow it. */
const ALIKE_FROM = 4;
const ALIKE_REST = 3;

/** The index of one document in memory. */
interface Segment {
  row: KnowledgeIndexRow;
  /** Its different words, in order; split when they are first looked through. */
  terms?: string[];
  /** Number of its first passage among all of one search. */
  first: number;
}

/** One word as it stands in the documents: where its postings are. */
interface Posting {
  weight: number;
  passages: number;
  places: { segment: Segment; term: number }[];
}

/** A passage that was found. */
export interface Found {
  entry: KnowledgeIndexRow;
  i: number;
  /** Above 0; only those of one search can be compared. */
  score: number;
}

/**
 * A full-text index over the indexes of documents: BM25 over their passages. The same documents and query always give the same passages.
 * A search looks words up and does not walk through all of them, and nothing here holds a text.
 */
export class SearchIndex {
  readonly #segments = new Map<string, Segment>();
  #passages = 0;
  #words = 0;

  /** Puts a document in, in place of what was there under its id. */
  put(row: KnowledgeIndexRow): void {
    this.remove(row.documentId);
    this.#segments.set(row.documentId, { row, first: 0 });
    this.#count(row, 1);
  }

  remove(documentId: string): void {
    const there = this.#segments.get(documentId);
    if (!there) return;
    this.#segments.delete(documentId);
    this.#count(there.row, -1);
  }

  get(documentId: string): KnowledgeIndexRow | undefined {
    return this.#segments.get(documentId)?.row;
  }

  /** What is known of each document, by id. */
  entries(): KnowledgeEntry[] {
    return [...this.#segments.values()]
      .map(({ row: { n: _n, terms: _t, starts: _s, at: _a, counts: _c, lengths: _l, ...entry } }) => entry)
      .sort((a, b) => byId(a.documentId, b.documentId));
  }

  /**
   * Passages that hold a word of the query, best first.
   * @param every all of a document, instead of the best one only
   */
  search(query: string, limit: number, { collection, every }: { collection?: string; every?: boolean } = {}): Found[] {
    const scores = this.#scores(query);
    const found: Found[] = [];
    for (const { row: entry, first } of this.#segments.values()) {
      if (collection !== undefined && !entry.collections.includes(collection)) continue;
      let best: Found | undefined;
      for (let i = 0; i < entry.passages; i += 1) {
        const score = scores[first + i] as number;
        if (score <= (every ? 0 : (best?.score ?? 0))) continue;
        best = { entry, i, score };
        if (every) found.push(best);
      }
      if (best && !every) found.push(best);
    }
    return found
      .sort((a, b) => b.score - a.score || byId(a.entry.documentId, b.entry.documentId) || a.i - b.i)
      .slice(0, limit)
      .map(({ score, ...rest }) => ({ ...rest, score: Math.round(score * 10_000) / 10_000 }));
  }

  #count({ lengths }: KnowledgeIndexRow, sign: 1 | -1): void {
    this.#passages += sign * lengths.length;
    for (const length of lengths) this.#words += sign * length;
  }

  /** By the number of the passage among all. */
  #scores(query: string): Float64Array {
    const scores = new Float64Array(this.#passages);
    let first = 0;
    for (const segment of this.#segments.values()) {
      segment.first = first;
      first += segment.row.passages;
    }
    for (const asked of new Set(termsOf(query))) {
      // For one word asked for, a passage counts what it holds best: the word itself, or one like it.
      const gains = new Float64Array(this.#passages);
      for (const posting of this.#postings(asked)) this.#gain(posting, gains);
      for (const [index, gain] of gains.entries()) if (gain > 0) scores[index] = (scores[index] as number) + gain;
    }
    return scores;
  }

  #postings(asked: string): Iterable<Posting> {
    const postings = new Map<string, Posting>();
    for (const segment of this.#segments.values()) {
      segment.terms ??= segment.row.terms.split('\n').slice(0, -1);
      for (const term of matching(segment.terms, asked)) {
        const word = segment.terms[term] as string;
        const posting = postings.get(word) ?? { weight: word === asked ? 1 : ALIKE_WEIGHT, passages: 0, places: [] };
        posting.passages += (segment.row.starts[term + 1] as number) - (segment.row.starts[term] as number);
        posting.places.push({ segment, term });
        postings.set(word, posting);
      }
    }
    return postings.values();
  }

  #gain({ weight, passages, places }: Posting, gains: Float64Array): void {
    const average = Math.max(1, this.#words / Math.max(1, this.#passages));
    const rarity = Math.log(1 + (this.#passages - passages + 0.5) / (passages + 0.5));
    for (const { segment, term } of places) {
      const { starts, at, counts, lengths } = segment.row;
      for (let p = starts[term] as number; p < (starts[term + 1] as number); p += 1) {
        const i = at[p] as number;
        const count = counts[p] as number;
        const long = 1 - B + (B * (lengths[i] as number)) / average;
        const gain = weight * rarity * ((count * (K1 + 1)) / (count + K1 * long));
        if (gain > (gains[segment.first + i] as number)) gains[segment.first + i] = gain;
      }
    }
  }
}

/** Whether a word stands for another: one of them is the beginning of the other, with little after it. */
export function alike(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length >= ALIKE_FROM && long.length - short.length <= ALIKE_REST && long.startsWith(short);
}

/** Numbers of the words in an ordered list that are the one asked for, or like it. */
function* matching(terms: readonly string[], asked: string): Generator<number> {
  // Its beginnings are single words, what it is the beginning of stands together.
  for (let length = Math.max(ALIKE_FROM, asked.length - ALIKE_REST); length < asked.length; length += 1) {
    const short = asked.slice(0, length);
    const place = placeOf(terms, short);
    if (terms[place] === short) yield place;
  }
  for (let place = placeOf(terms, asked); terms[place]?.startsWith(asked); place += 1) {
    const term = terms[place] as string;
    if (term === asked || alike(term, asked)) yield place;
  }
}

/** Number of the first word in an ordered list that is not before this one. */
function placeOf(terms: readonly string[], word: string): number {
  let [low, high] = [0, terms.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((terms[middle] as string) < word) low = middle + 1;
    else high = middle;
  }
  return low;
}

function byId(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
