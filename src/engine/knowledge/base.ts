import {
  documentOf,
  type KnowledgeDocument,
  type KnowledgeEntry,
  type KnowledgeHit,
  type KnowledgePassage,
  type KnowledgeRow,
  type PassageHit,
  type PinnedDocument,
} from '../../model/knowledge.ts';
import type { KnowledgePort, KnowledgeQuery } from '../../ports/knowledge.ts';
import type { Store } from '../../ports/store.ts';
import type { Plan } from '../plan.ts';
import { excerptOf } from './excerpt.ts';
import { type Found, SearchIndex } from './search-index.ts';
import { indexOf } from './segment.ts';

/** What of the store the knowledge base is made of. */
export type KnowledgeStore = Pick<Store, 'knowledge' | 'knowledgeIndex' | 'changeKnowledgeIndex' | 'passages'>;

/** Writes that are read, indexed and stored at a time, so that a large base that is indexed for the first time holds up nobody for long. */
const BATCH = 100;

type Query = Pick<KnowledgeQuery, 'query' | 'limit' | 'collection'>;

/**
 * The knowledge base over a store. The index is stored and read once, and kept in memory from then on; each search first brings in the
 * writes that have come since, so that it finds what was committed before it. A stored index that fails is done without.
 */
export class KnowledgeBase implements KnowledgePort {
  readonly #store: KnowledgeStore;
  readonly #index = new SearchIndex();
  #seen = 0;
  #loaded = false;
  #reading: Promise<void> = Promise.resolve();

  constructor(store: KnowledgeStore) {
    this.#store = store;
  }

  async search({ query, limit, collection }: Query): Promise<KnowledgeHit[]> {
    await this.#refresh();
    const found = await this.#withTexts(this.#index.search(query, limit, { collection }));
    return found.map(({ entry, score, passage }) => ({
      documentId: entry.documentId,
      title: entry.title,
      excerpt: excerptOf(passage.text, query),
      score,
    }));
  }

  /** As `search`, with every passage that fits and where it stands: for a person who looks. */
  async passages({ query, limit, collection }: Query): Promise<PassageHit[]> {
    await this.#refresh();
    const found = await this.#withTexts(this.#index.search(query, limit, { collection, every: true }));
    return found.map(({ entry, score, passage }) => ({
      documentId: entry.documentId,
      title: entry.title,
      ...(entry.source && { source: entry.source }),
      headings: passage.headings,
      excerpt: excerptOf(passage.text, query),
      score,
    }));
  }

  /** What there is, by id, without the texts. */
  async entries(): Promise<KnowledgeEntry[]> {
    await this.#refresh();
    return this.#index.entries();
  }

  async document(documentId: string, revision?: string): Promise<KnowledgeDocument | undefined> {
    return documentOf(await this.#store.knowledge({ documentId }), revision);
  }

  async named(name: string): Promise<KnowledgeDocument[]> {
    const collection = collectionOf(name);
    if (collection === undefined) return [await this.document(name)].flatMap((found) => found ?? []);
    const entries = (await this.entries()).filter(({ collections }) => collections.includes(collection));
    const documents = await Promise.all(entries.map(({ documentId }) => this.document(documentId)));
    return documents.flatMap((found) => found ?? []);
  }

  /** Stored passages, or where another engine has just indexed their document again, those of the write that was searched. */
  async #withTexts(found: Found[]): Promise<(Found & { passage: KnowledgePassage })[]> {
    const stored = await this.#store
      .passages(found.map(({ entry: { documentId }, i }) => ({ documentId, i })))
      .catch(() => []);
    const with_ = found.map(async (each, place) => {
      const { documentId, revision, n } = each.entry;
      const there = stored[place];
      if (there?.n === n) return { ...each, passage: there };
      const document = await this.document(documentId, revision);
      const passage = document && indexOf(document, n).passages[each.i];
      return { ...each, passage: passage ?? { documentId, i: each.i, n, headings: [], text: '' } };
    });
    return Promise.all(with_);
  }

  /** One look after another, so that no write is taken twice. */
  #refresh(): Promise<void> {
    const next = this.#reading.then(() => this.#read());
    this.#reading = next.catch(() => undefined);
    return next;
  }

  async #read(): Promise<void> {
    if (!this.#loaded) {
      const { seen, rows } = await this.#store.knowledgeIndex().catch(() => ({ seen: 0, rows: [] }));
      for (const row of rows) this.#index.put(row);
      this.#seen = seen;
      this.#loaded = true;
    }
    for (;;) {
      const rows = await this.#store.knowledge({ after: this.#seen, limit: BATCH });
      if (rows.length === 0) return;
      await this.#take(rows);
      if (rows.length < BATCH) return;
    }
  }

  async #take(rows: KnowledgeRow[]): Promise<void> {
    const seen = (rows.at(-1) as KnowledgeRow).n;
    const put = [];
    const drop = [];
    for (const [documentId, own] of Map.groupBy(rows, (row) => row.documentId)) {
      // Of a document that is not there, these are all the writes that count.
      const writes = this.#index.get(documentId) ? await this.#store.knowledge({ documentId }) : own;
      const document = documentOf(writes);
      if (document) put.push(indexOf(document, (writes.at(-1) as KnowledgeRow).n));
      else drop.push(documentId);
    }
    const from = this.#seen;
    for (const { row } of put) this.#index.put(row);
    for (const documentId of drop) this.#index.remove(documentId);
    this.#seen = seen;
    await this.#store.changeKnowledgeIndex({ from, seen, put, drop }).catch(() => false);
  }
}

/** The collection that a name of `context` stands for; `undefined` for a document's id. */
export function collectionOf(name: string): string | undefined {
  return name.startsWith('#') ? name.slice(1) : undefined;
}

/** Every fixed name in `context`, of the file and of its steps, with where it stands. What holds a template is known only when its step runs. */
export function contextNames({
  workflow,
  steps,
}: Pick<Plan, 'workflow' | 'steps'>): { name: string; pointer: string; step?: string }[] {
  const found = (workflow.context ?? []).map((name, index) => ({ name, pointer: `/context/${index}` }));
  const inSteps = [...steps.values()].flatMap(({ def, pointer, id }) =>
    Array.isArray(def.context)
      ? def.context.map((name, index) => ({ name: String(name), pointer: `${pointer}/context/${index}`, step: id }))
      : [],
  );
  return [...found, ...inSteps].filter(({ name }) => !name.includes('{{'));
}

/** The documents that a workflow names, as they are now. What is not there is left out: preflight says so, and so does the step. */
export async function pinDocuments(knowledge: KnowledgePort, plan: Plan): Promise<PinnedDocument[]> {
  const pinned = new Map<string, PinnedDocument>();
  for (const name of new Set(contextNames(plan).map((each) => each.name))) {
    for (const { documentId, revision, title, content } of await knowledge.named(name)) {
      const known = pinned.get(documentId);
      if (known) known.names.push(name);
      else pinned.set(documentId, { documentId, revision, title, size: content.length, names: [name] });
    }
  }
  return [...pinned.values()];
}

/** Of names in `context`, those that stand for nothing now. */
export async function missingDocuments(store: KnowledgeStore, names: readonly string[]): Promise<string[]> {
  const base = new KnowledgeBase(store);
  const missing: string[] = [];
  for (const name of names) if ((await base.named(name)).length === 0) missing.push(name);
  return missing;
}
