import type { KnowledgeBase } from '../engine/knowledge/base.ts';
import { redactText, scanText } from '../engine/secrets/index.ts';
import { hashJson } from '../model/canonical.ts';
import { TabloomError } from '../model/errors.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import {
  applyWrite,
  documentOf,
  type KnowledgeDocument,
  type KnowledgeRow,
  type KnowledgeWrite,
} from '../model/knowledge.ts';
import { documentIdOf, freeId } from '../model/knowledge-names.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import type { DocumentDraft, DocumentRevision, Requests } from './protocol.ts';

/** How long a document that was removed can be brought back, milliseconds; then its texts are erased. */
const UNDO_MS = 24 * 3_600_000;
/** Setting that names documents which were removed, with when. */
const REMOVED = 'knowledge-removed';
/** Most revisions that are listed. */
const MOST_REVISIONS = 200;

interface Parts {
  store: Store;
  clock: Pick<Clock, 'now'>;
  base: KnowledgeBase;
  /** Called when a person has changed what there is. */
  changed(): void;
}

/** The knowledge base as a person keeps it. What steps write goes with their own commits. */
export class Knowledge {
  readonly #parts: Parts;
  /** One change after another: each looks for free ids first. */
  #busy: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  list(): Promise<Requests['knowledge.list']['out']> {
    return this.#parts.base.entries().then((documents) => ({ documents }));
  }

  async search(asked: Requests['knowledge.search']['in']): Promise<Requests['knowledge.search']['out']> {
    return { hits: await this.#parts.base.passages(asked) };
  }

  /** A document as of a revision, or as it is now, with its revisions, newest first; null where it is not there or was removed. */
  async get({ documentId, revision }: Requests['knowledge.get']['in']): Promise<Requests['knowledge.get']['out']> {
    const rows = await this.#parts.store.knowledge({ documentId });
    const revisions = revisionsOf(rows);
    const document = documentOf(rows, revision);
    const there = document && revisions.some((one) => one.revision === document.revision);
    return there ? { document, revisions: revisions.reverse().slice(0, MOST_REVISIONS) } : null;
  }

  /**
   * Adds documents. One that was read from the same source before gets a new revision; one that is the same already is left as it is.
   * @param secrets what becomes of those that hold something that looks like a secret: not stored but told of, stored without it, or as is
   */
  add(drafts: readonly DocumentDraft[], secrets: 'ask' | 'mask' | 'keep'): Promise<Requests['knowledge.add']['out']> {
    return this.#inTurn(async () => {
      const { store, base, clock, changed } = this.#parts;
      const entries = await base.entries();
      const taken = new Set(entries.map(({ documentId }) => documentId));
      const out: Requests['knowledge.add']['out'] = { added: [], unchanged: [], held: [] };
      const writes: KnowledgeWrite[] = [];
      for (const [index, draft] of drafts.entries()) {
        const kinds = [...new Set([draft.title, draft.content].flatMap(scanText).map(({ kind }) => kind))];
        if (kinds.length > 0 && secrets === 'ask') {
          out.held.push({ index, kinds });
          continue;
        }
        const masked = secrets === 'mask' ? redactText : (text: string) => text;
        const { collections, source } = draft;
        const before = draft.documentId ?? entries.find((entry) => cameFrom(entry, draft))?.documentId;
        const documentId = before ?? freeId(documentIdOf(source?.name ?? draft.title), taken);
        taken.add(documentId);
        const wanted = { title: masked(draft.title), content: masked(draft.content), collections };
        const there = before === undefined ? undefined : await base.document(before);
        if (there && same(there, wanted)) {
          out.unchanged.push(documentId);
          continue;
        }
        const write = { documentId, mode: 'replace' as const, ...wanted, ...(source && { source }), at: clock.now() };
        writes.push({ ...write, revision: hashJson(write as unknown as Json) });
        out.added.push(documentId);
      }
      if (writes.length > 0) {
        await store.addKnowledge(...writes);
        changed();
      }
      return out;
    });
  }

  /** Removes a document. It can be brought back for a day; runs that have it keep it. */
  remove(documentId: string): Promise<boolean> {
    return this.#inTurn(async () => {
      const { store, base, clock, changed } = this.#parts;
      if (!(await base.document(documentId))) return false;
      const at = clock.now();
      // First, so that a document cannot be gone and never be erased.
      await store.setSetting(REMOVED, { ...(await this.#removed()), [documentId]: at });
      const write = { documentId, mode: 'remove' as const, content: '', at };
      await store.addKnowledge({ ...write, revision: hashJson(write) });
      changed();
      return true;
    });
  }

  /** Makes a revision the newest one; without one, brings back a document that was removed. `false` where there is nothing to bring back. */
  restore(documentId: string, revision?: string): Promise<boolean> {
    return this.#inTurn(async () => {
      const { store, clock, changed } = this.#parts;
      const rows = await store.knowledge({ documentId });
      if (revision === undefined && rows.at(-1)?.mode !== 'remove') return false;
      const document = documentOf(revision === undefined ? rows.slice(0, -1) : rows, revision);
      if (!document) return false;
      const { title, content, collections, source } = document;
      const write = {
        documentId,
        mode: 'replace' as const,
        title,
        content,
        collections,
        ...(source && { source }),
        at: clock.now(),
      };
      await store.addKnowledge({ ...write, revision: hashJson(write as unknown as Json) });
      changed();
      return true;
    });
  }

  /** Erases the texts of documents that were removed long enough ago, except those that an unfinished run has. */
  async forgetRemoved(): Promise<void> {
    const removed = await this.#removed();
    const due = Object.keys(removed).filter((id) => (removed[id] as number) <= this.#parts.clock.now() - UNDO_MS);
    if (due.length === 0) return;
    const needed = await this.#pinned();
    await this.#inTurn(async () => {
      const { store } = this.#parts;
      const left = await this.#removed();
      for (const documentId of due) {
        if (needed.has(documentId)) continue;
        const last = (await store.knowledge({ documentId })).findLast(({ mode }) => mode === 'remove');
        if (last) await store.eraseKnowledge(documentId, last.n);
        delete left[documentId];
      }
      await store.setSetting(REMOVED, left);
    });
  }

  async #removed(): Promise<JsonObject> {
    const kept = (await this.#parts.store.setting(REMOVED)) ?? {};
    return Object.fromEntries(Object.entries(kept).filter(([, at]) => typeof at === 'number'));
  }

  /** Ids of documents that unfinished runs have kept. */
  async #pinned(): Promise<Set<string>> {
    const { store } = this.#parts;
    const found = new Set<string>();
    for (const { runId } of await store.runs({ status: ['queued', 'running', 'waiting', 'paused'] }))
      for (const { data } of await store.events(runId))
        for (const document of Array.isArray(data.documents) ? data.documents : [])
          if (isObject(document)) found.add(String(document.documentId));
    return found;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#busy.then(work);
    this.#busy = next.catch(() => undefined);
    return next;
  }
}

/** Whether a document is an earlier reading of the same source, in the same collections. */
function cameFrom(
  { source, collections }: Pick<KnowledgeDocument, 'source' | 'collections'>,
  draft: Pick<DocumentDraft, 'source' | 'collections'>,
): boolean {
  if (source?.name === undefined || draft.source?.name === undefined) return false;
  return source.name === draft.source.name && collections.join('\n') === draft.collections.join('\n');
}

function same(there: KnowledgeDocument, wanted: Pick<KnowledgeDocument, 'title' | 'content' | 'collections'>): boolean {
  return (
    there.title === wanted.title &&
    there.content === wanted.content &&
    there.collections.join('\n') === wanted.collections.join('\n')
  );
}

/** The revisions since the document last began, in order, each with what it holds. */
function revisionsOf(rows: readonly KnowledgeRow[]): DocumentRevision[] {
  let document: KnowledgeDocument | undefined;
  let revisions: DocumentRevision[] = [];
  for (const row of rows) {
    document = applyWrite(document, row);
    if (!document) revisions = [];
    else {
      const { revision, mode, at, by } = row;
      revisions.push({
        revision,
        mode: mode === 'append' ? 'append' : 'replace',
        at,
        title: document.title,
        size: document.content.length,
        ...(by && { by }),
      });
    }
  }
  return revisions;
}

/** Refusal of a page that cannot be read. */
export function pageUnreadable(): TabloomError {
  return new TabloomError(
    'permission_denied',
    'Tabloom may not read this page: grant its site, or click Tabloom’s icon on it, and try again.',
  );
}
