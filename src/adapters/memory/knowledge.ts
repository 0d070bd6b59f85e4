import type {
  KnowledgeIndex,
  KnowledgeIndexChange,
  KnowledgePassage,
  KnowledgeRow,
  KnowledgeWrite,
} from '../../model/knowledge.ts';

/** The knowledge base's rows of the memory store: takes and gives the stored objects themselves, as its other tables do. */
export class KnowledgeTables {
  #writes: KnowledgeRow[] = [];
  #last = 0;
  #seen = 0;
  readonly #rows = new Map<string, { row: KnowledgeIndex['rows'][number]; passages: KnowledgePassage[] }>();

  add(write: KnowledgeWrite): void {
    this.#last += 1;
    this.#writes.push({ ...write, n: this.#last });
  }

  find({ documentId, after = 0, limit }: { documentId?: string; after?: number; limit?: number }): KnowledgeRow[] {
    const rows = this.#writes.filter((row) => row.n > after);
    return (documentId === undefined ? rows : rows.filter((row) => row.documentId === documentId)).slice(0, limit);
  }

  erase(documentId: string, before: number): void {
    this.#writes = this.#writes.filter((row) => row.documentId !== documentId || row.n >= before);
  }

  index(): KnowledgeIndex {
    return { seen: this.#seen, rows: [...this.#rows.values()].map(({ row }) => row) };
  }

  change({ from, seen, put, drop }: KnowledgeIndexChange): boolean {
    if (from !== this.#seen) return false;
    this.#seen = seen;
    for (const id of drop) this.#rows.delete(id);
    for (const each of put) this.#rows.set(each.row.documentId, each);
    return true;
  }

  passage({ documentId, i }: { documentId: string; i: number }): KnowledgePassage | undefined {
    return this.#rows.get(documentId)?.passages[i];
  }
}
