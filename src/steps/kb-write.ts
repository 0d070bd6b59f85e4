import type { StepType } from '../engine/step-type.ts';
import { canonicalJson, hashJson } from '../model/canonical.ts';
import { TabloomError } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { KnowledgeWrite } from '../model/knowledge.ts';
import { z } from '../model/zod.ts';
import { objectOf, TEXT } from './output-schema.ts';

/** Longest id or title, in characters. */
const MAX_NAME = 200;

/** Writes a document of the knowledge base. It commits with its step: exactly once. Output: `{documentId, revision}`. */
export const kbWrite: StepType = {
  type: 'kb_write',
  title: 'Write knowledge',
  summary: 'Writes a document of the knowledge base, or adds to one.',
  keys: {
    document: z.string().min(1),
    title: z.string().min(1).optional(),
    content: z.unknown(),
    mode: z.enum(['replace', 'append']).optional(),
  },
  effect: () => 'none',
  works: false,
  templated: ['document', 'title', 'content'],
  check: (step, { error }) =>
    step.content === undefined
      ? [error('schema_invalid', '/content', 'Say what is to be written: give the step a `content`.')]
      : [],
  output: () => objectOf({ documentId: TEXT, revision: TEXT }),
  compute(fields, { runId, path, step, at }) {
    const documentId = nameOf(fields.document, 'document', path);
    if (documentId.startsWith('#'))
      throw refused(
        `The document "${documentId}" cannot be called so: names that begin with # are collections.`,
        'document',
        path,
      );
    const title = fields.title === undefined ? undefined : nameOf(fields.title, 'title', path);
    const { content } = fields;
    if (content === undefined || content === null)
      throw refused(`The step ${step.id} has no content: correct what its template gives.`, 'content', path);
    const write: Omit<KnowledgeWrite, 'revision'> = {
      documentId,
      mode: step.mode === 'append' ? 'append' : 'replace',
      ...(title !== undefined && { title }),
      content: typeof content === 'string' ? content : canonicalJson(content),
      at,
      by: { runId, path },
    };
    // Of the write, not of the whole text, which other runs may be adding to: what it adds to is known to the store alone.
    const revision = hashJson(write as unknown as Json);
    return { output: { documentId, revision }, knowledge: [{ ...write, revision }] };
  },
};

function nameOf(value: Json | undefined, field: string, path: string): string {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= MAX_NAME) return value.trim();
  throw refused(
    `"${field}" must be a text of 1 to ${MAX_NAME} characters: correct what its template gives.`,
    field,
    path,
  );
}

function refused(message: string, field: string, step: string): TabloomError {
  return new TabloomError('input_invalid', message, { step, field });
}
