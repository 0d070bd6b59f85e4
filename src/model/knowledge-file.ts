import { isObject } from './json.ts';
import { type KnowledgeDocument, type KnowledgeSource, SOURCE_KINDS } from './knowledge.ts';
import { z } from './zod.ts';

/** Longest id, title or name of a collection, in characters. */
export const MAX_NAME = 200;
/** Longest document that a person adds, in characters. */
export const MAX_CONTENT = 2_000_000;
export const MAX_COLLECTIONS = 20;
/** Most documents of one file. */
const MAX_DOCUMENTS = 10_000;

export const KNOWLEDGE_FORMAT = 'tabloom-knowledge/v1';

/** A document as an exported file holds it. */
export interface FileDocument {
  id: string;
  title: string;
  content: string;
  collections: string[];
  source?: KnowledgeSource;
}

const name = z.string().trim().min(1).max(MAX_NAME);
const schema = z.object({
  format: z.literal(KNOWLEDGE_FORMAT),
  documents: z
    .array(
      z.object({
        id: name.regex(/^[^#]/, 'must not begin with #'),
        title: name,
        content: z.string().max(MAX_CONTENT),
        collections: z.array(name).max(MAX_COLLECTIONS).default([]),
        source: z.object({ kind: z.enum(SOURCE_KINDS), name: z.string().max(2000).optional() }).optional(),
      }),
    )
    .max(MAX_DOCUMENTS),
});

/** Documents as a JSON file: as they are now, without their earlier revisions. */
export function writeKnowledgeFile(documents: readonly KnowledgeDocument[]): string {
  const rows = documents.map(({ documentId, title, content, collections, source }) => ({
    id: documentId,
    title,
    content,
    collections,
    ...(source && { source }),
  }));
  return `${JSON.stringify({ format: KNOWLEDGE_FORMAT, documents: rows }, null, 2)}\n`;
}

/** Why a file is not one of ours. `where` is the place in it, where there is one. */
export interface FileFault {
  reason: 'notJson' | 'notKnowledge' | 'newer' | 'twice' | 'unfit';
  where?: string;
  detail?: string;
}

/** Reads an exported file; a fault anywhere in it and nothing of it is taken. */
export function readKnowledgeFile(text: string): { documents: FileDocument[] } | { fault: FileFault } {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    return { fault: { reason: 'notJson', detail: error instanceof Error ? error.message : '' } };
  }
  const format = isObject(value) ? value.format : undefined;
  if (typeof format !== 'string' || !format.startsWith('tabloom-knowledge/'))
    return { fault: { reason: 'notKnowledge' } };
  if (format !== KNOWLEDGE_FORMAT) return { fault: { reason: 'newer' } };
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { fault: { reason: 'unfit', where: issue?.path.map(String).join('.') ?? '', detail: issue?.message ?? '' } };
  }
  const seen = new Set<string>();
  for (const { id } of parsed.data.documents) {
    if (seen.has(id)) return { fault: { reason: 'twice', where: id } };
    seen.add(id);
  }
  return { documents: parsed.data.documents };
}
