import { applyWrite, documentOf, type KnowledgeDocument, type PinnedDocument } from '../../model/knowledge.ts';
import type { KnowledgePort, KnowledgeQuery } from '../../ports/knowledge.ts';
import type { Store } from '../../ports/store.ts';
import type { Plan } from '../plan.ts';
import { SearchIndex } from './search-index.ts';

/**
 * The knowledge base over a store. Documents and index are kept in memory from the first search on; each search reads the writes that have
 * come since, so that it finds what was committed before it.
 */
export class KnowledgeBase implements KnowledgePort {
  readonly #store: Pick<Store, 'knowledge'>;
  readonly #documents = new Map<string, KnowledgeDocument>();
  readonly #index = new SearchIndex();
  #seen = 0;
  #reading: Promise<void> = Promise.resolve();

  constructor(store: Pick<Store, 'knowledge'>) {
    this.#store = store;
  }

  async search({ query, limit, collection }: Pick<KnowledgeQuery, 'query' | 'limit' | 'collection'>) {
    await this.#refresh();
    return this.#index.search(query, limit, collection);
  }

  async document(documentId: string, revision?: string): Promise<KnowledgeDocument | undefined> {
    return documentOf(await this.#store.knowledge({ documentId }), revision);
  }

  async named(name: string): Promise<KnowledgeDocument[]> {
    const collection = collectionOf(name);
    if (collection === undefined) return [await this.document(name)].flatMap((found) => found ?? []);
    await this.#refresh();
    return [...this.#documents.values()]
      .filter(({ collections }) => collections.includes(collection))
      .sort((a, b) => (a.documentId < b.documentId ? -1 : 1));
  }

  /** One look after another, so that no write is taken twice. */
  #refresh(): Promise<void> {
    const next = this.#reading.then(() => this.#read());
    this.#reading = next.catch(() => undefined);
    return next;
  }

  async #read(): Promise<void> {
    const changed = new Set<string>();
    for (const row of await this.#store.knowledge({ after: this.#seen })) {
      this.#documents.set(row.documentId, applyWrite(this.#documents.get(row.documentId), row));
      this.#seen = row.n;
      changed.add(row.documentId);
    }
    for (const id of changed) this.#index.put(this.#documents.get(id) as KnowledgeDocument);
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
export async function missingDocuments(store: Pick<Store, 'knowledge'>, names: readonly string[]): Promise<string[]> {
  const base = new KnowledgeBase(store);
  const missing: string[] = [];
  for (const name of names) if ((await base.named(name)).length === 0) missing.push(name);
  return missing;
}
