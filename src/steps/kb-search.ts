import type { StepType } from '../engine/step-type.ts';
import { TabloomError } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import { z } from '../model/zod.ts';

/** SPEC §5. */
const LIMIT = 5;
/** Hits of one search at most. */
export const MAX_HITS = 50;

/** Looks for documents of the knowledge base by their words. Output: `{hits: [{documentId, title, excerpt, score}]}`, best first. */
export const kbSearch: StepType = {
  type: 'kb_search',
  title: 'Search knowledge',
  summary: 'Finds documents of the knowledge base by words, best first, each with an excerpt.',
  keys: {
    query: z.string().min(1),
    limit: z.union([z.int().min(1).max(MAX_HITS), z.string().regex(/\{\{/)]).optional(),
    collection: z.string().min(1).optional(),
  },
  effect: () => 'read',
  works: true,
  templated: ['query', 'limit', 'collection'],
  async run({ runId, path, attempt, fields, ports, signal }) {
    const { query, limit = LIMIT, collection } = fields;
    const refused = (field: string, wanted: string) =>
      new TabloomError('input_invalid', `"${field}" must be ${wanted}: correct what its template gives.`, {
        step: path,
        field,
      });
    if (typeof query !== 'string' || query.trim() === '') throw refused('query', 'a text');
    if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > MAX_HITS)
      throw refused('limit', `a whole number from 1 to ${MAX_HITS}`);
    if (collection !== undefined && typeof collection !== 'string') throw refused('collection', 'a text');
    const hits = await ports.knowledge.search({
      call: { runId, path, attempt },
      query,
      limit,
      // Also as `context` writes it.
      ...(collection !== undefined && { collection: collection.replace(/^#/, '') }),
      signal,
    });
    return { output: { hits: hits as unknown as Json } };
  },
};
