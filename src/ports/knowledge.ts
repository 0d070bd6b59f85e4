import type { KnowledgeDocument, KnowledgeHit } from '../model/knowledge.ts';

export interface KnowledgeQuery {
  /** Which step attempt asks. For tests, and for what is kept of an attempt. */
  call: { runId: string; path: string; attempt: number };
  query: string;
  /** Most hits. */
  limit: number;
  /** Only documents of this collection. */
  collection?: string;
  signal: AbortSignal;
}

/** The knowledge base as steps see it. Rejects with an `Error` when the store fails. */
export interface KnowledgePort {
  /** Best first; documents that hold none of the words are not among them. */
  search(query: KnowledgeQuery): Promise<KnowledgeHit[]>;
  /** A document as of a revision, or as it is now; `undefined` where there is none. */
  document(documentId: string, revision?: string): Promise<KnowledgeDocument | undefined>;
  /** What a name of `context` stands for now: the document of that id, or those of a `#collection`; none where there is nothing. */
  named(name: string): Promise<KnowledgeDocument[]>;
}

/**
 * Turns texts into vectors, for a search by meaning beside the one by words. No adapter serves it yet: a provider that does is asked for
 * the vectors of passages when they are indexed, and of the query when it is searched for.
 */
export interface EmbeddingPort {
  /** Names the model; vectors of different models cannot be compared. */
  readonly model: string;
  /** One vector for each text, in order, all of the same length. Rejects with a `TabloomError` as a model call does. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>;
}
