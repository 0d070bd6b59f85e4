/** What kinds of source a document can have been read from. */
export const SOURCE_KINDS = ['text', 'markdown', 'html', 'csv', 'pdf', 'page'] as const;

/** Where a document came from: the name of its file, with folders, or the address of its page. */
export interface KnowledgeSource {
  kind: (typeof SOURCE_KINDS)[number];
  name?: string;
}

/**
 * One write to the knowledge base. Writes are only ever added: a document is what its writes since the last `replace` come to, and a
 * revision is the document as of one write, so that it never changes. After a `remove` there is no document; the next write begins it anew.
 */
export interface KnowledgeWrite {
  documentId: string;
  /** Names the document as of this write. */
  revision: string;
  mode: 'replace' | 'append' | 'remove';
  /** Absent: it keeps the title that it has. */
  title?: string;
  content: string;
  /** Absent: it stays in the collections that it is in. */
  collections?: string[];
  /** Absent: it keeps the source that it has; a document that steps write has none. */
  source?: KnowledgeSource;
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
  source?: KnowledgeSource;
  updatedAt: number;
}

/** What a list says of a document, without its text. */
export interface KnowledgeEntry extends Omit<KnowledgeDocument, 'content'> {
  /** Characters. */
  size: number;
  /** Passages that are found by themselves. */
  passages: number;
  /** Kinds of what looks like a secret in it; absent for none. */
  secrets?: string[];
}

/**
 * The full-text index of one document as of one write: which words are in which of its passages. Derived from the writes, so it may be
 * thrown away at any time.
 */
export interface KnowledgeIndexRow extends KnowledgeEntry {
  /** `n` of the last write that it knows. */
  n: number;
  /** Its different words in order of UTF-16 code units, each ended by a line break. */
  terms: string;
  /** Where the postings of each word begin, and of the last one end. */
  starts: Uint32Array;
  /** Postings: the number of the passage, and how often the word is in it, those of title and headings with their weight. */
  at: Uint32Array;
  counts: Uint16Array;
  /** Words of each passage. */
  lengths: Uint32Array;
}

/** A passage of a document as of one write. */
export interface KnowledgePassage {
  documentId: string;
  /** Its place in the document, from 0. */
  i: number;
  /** `n` of the last write of the document then. */
  n: number;
  /** Headings above it, the nearest last. */
  headings: string[];
  /** Without secrets: each is replaced by its mark. */
  text: string;
}

/** The index as it is stored. */
export interface KnowledgeIndex {
  /** `n` of the last write that is in it; 0 for an index that is not there. */
  seen: number;
  rows: KnowledgeIndexRow[];
}

/** What writes have changed in the index. */
export interface KnowledgeIndexChange {
  /** `seen` of the index that is changed; where another one is stored, nothing is. */
  from: number;
  seen: number;
  put: { row: KnowledgeIndexRow; passages: KnowledgePassage[] }[];
  /** Ids of documents that are no longer there. */
  drop: string[];
}

/** A passage that a search found. */
export interface PassageHit extends KnowledgeHit {
  headings: string[];
  source?: KnowledgeSource;
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

/** The document after one more write; `undefined` once it is removed. What is appended begins on a line of its own. */
export function applyWrite(
  before: KnowledgeDocument | undefined,
  write: KnowledgeWrite,
): KnowledgeDocument | undefined {
  const { documentId, revision, mode, at } = write;
  if (mode === 'remove') return undefined;
  const kept = mode === 'append' ? (before?.content ?? '') : '';
  const gap = kept === '' || kept.endsWith('\n') ? '' : '\n';
  const source = write.source ?? before?.source;
  return {
    documentId,
    revision,
    title: write.title ?? before?.title ?? documentId,
    content: kept + gap + write.content,
    collections: write.collections ?? before?.collections ?? [],
    ...(source && { source }),
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
