import { Dexie } from 'dexie';
import { INDEX_FORMAT } from '../../engine/knowledge/segment.ts';
import type { KnowledgeIndex, KnowledgeIndexChange, KnowledgePassage, KnowledgeRow } from '../../model/knowledge.ts';
import type { Store } from '../../ports/index.ts';
import type { TabloomDatabase } from './database.ts';

type KnowledgeQuery = NonNullable<Parameters<Store['knowledge']>[0]>;

/** Writes to the knowledge base, in order. */
export function findKnowledge(db: TabloomDatabase, query: KnowledgeQuery): PromiseLike<KnowledgeRow[]> {
  const { documentId, after = 0, limit = Infinity } = query;
  if (documentId === undefined) return db.knowledge.where('n').above(after).limit(limit).toArray();
  // Rows of one index key come in order of the primary key.
  return db.knowledge
    .where('documentId')
    .equals(documentId)
    .filter((row) => row.n > after)
    .limit(limit)
    .toArray();
}

/** The full-text index; an empty one where only one of another format is stored. */
export function readIndex(db: TabloomDatabase): PromiseLike<KnowledgeIndex> {
  return db.transaction('r', db.knowledgeSeen, db.knowledgeIndex, async () => {
    const mark = await db.knowledgeSeen.get(INDEX_FORMAT);
    return mark ? { seen: mark.seen, rows: await db.knowledgeIndex.toArray() } : { seen: 0, rows: [] };
  });
}

/** Puts rows and passages in place of those of the same documents; not where another engine has changed the index since. */
export function changeIndex(db: TabloomDatabase, change: KnowledgeIndexChange): PromiseLike<boolean> {
  const { from, seen, put, drop } = change;
  return db.transaction('rw', db.knowledgeSeen, db.knowledgeIndex, db.passages, async () => {
    const mark = await db.knowledgeSeen.get(INDEX_FORMAT);
    if ((mark?.seen ?? 0) !== from) return false;
    if (!mark) {
      // Of another format, or none: it begins anew.
      await Promise.all([db.knowledgeSeen.clear(), db.knowledgeIndex.clear(), db.passages.clear()]);
    }
    for (const id of [...drop, ...put.map(({ row }) => row.documentId)])
      await db.passages.where('[documentId+i]').between([id, Dexie.minKey], [id, Dexie.maxKey]).delete();
    await db.knowledgeIndex.bulkDelete(drop);
    await db.knowledgeIndex.bulkPut(put.map(({ row }) => row));
    await db.passages.bulkPut(put.flatMap(({ passages }) => passages));
    await db.knowledgeSeen.put({ format: INDEX_FORMAT, seen });
    return true;
  });
}

/** Passages by their keys. */
export function findPassages(
  db: TabloomDatabase,
  asked: readonly { documentId: string; i: number }[],
): PromiseLike<(KnowledgePassage | undefined)[]> {
  return db.passages.bulkGet(asked.map(({ documentId, i }): [string, number] => [documentId, i]));
}
