/**
 * One write to the knowledge base. Writes are only ever added: a document is what its writes since the last `replace` come to, and a
 * revision is the document as of one write, so that it never changes.
 */
export interface KnowledgeWrite {
  documentId: string;
  /** Names the document as of this write. */
  revision: string;
  mode: 'replace' | 'append';
  /** Absent: it keeps the title that it has. */
  title?: string;
  content: string;
  /** Absent: it stays in the collections that it is in. */
  collections?: string[];
  /** Epoch milliseconds. */
  at: number;
  /** The step that wrote; absent for a person. */
  by?: { runId: string; path: string };
}

/** A write as it is stored: `n` is its place among all writes, and grows. */
export interface KnowledgeRow extends KnowledgeWrite {
  n: number;
}

/** A document of the knowledge base as of one revision. */
export interface KnowledgeDocument {
  documentId: string;
  revision: string;
  title: string;
  content: string;
  collections: string[];
  updatedAt: number;
}

/** What a search found: the best passage of one document. */
export interface KnowledgeHit {
  documentId: string;
  title: string;
  excerpt: string;
  /** Above 0; the higher, the better. Only hits of one search can be compared. */
  score: number;
}

/** A document that a run keeps as it was when the run started. */
export interface PinnedDocument {
  documentId: string;
  revision: string;
  title: string;
  /** Characters. */
  size: number;
  /** The names under which the workflow asks for it: its id, or `#collection`. */
  names: string[];
}

/** The document after one more write. What is appended begins on a line of its own. */
export function applyWrite(before: KnowledgeDocument | undefined, write: KnowledgeWrite): KnowledgeDocument {
  const { documentId, revision, mode, at } = write;
  const kept = mode === 'append' ? (before?.content ?? '') : '';
  const gap = kept === '' || kept.endsWith('\n') ? '' : '\n';
  return {
    documentId,
    revision,
    title: write.title ?? before?.title ?? documentId,
    content: kept + gap + write.content,
    collections: write.collections ?? before?.collections ?? [],
    updatedAt: at,
  };
}

/** A document as of a revision, or as of its last write, from its own writes in order; `undefined` where there is none. */
export function documentOf(writes: readonly KnowledgeWrite[], revision?: string): KnowledgeDocument | undefined {
  let document: KnowledgeDocument | undefined;
  for (const write of writes) {
    document = applyWrite(document, write);
    if (write.revision === revision) return document;
  }
  return revision === undefined ? document : undefined;
}
