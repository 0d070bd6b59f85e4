import type { StepType } from '../engine/step-type.ts';
import { canonicalJson, sha256Hex } from '../model/canonical.ts';
import { TabloomError } from '../model/errors.ts';
import type { ArtifactRow } from '../model/run.ts';
import { z } from '../model/zod.ts';
import { NUMBER, objectOf, TEXT } from './output-schema.ts';

/** Keeps a file with the run. It commits with its step: exactly once. Output: `{artifactId, name, mediaType, size, sha256}`. */
export const artifact: StepType = {
  type: 'artifact',
  title: 'Artifact',
  summary: 'Keeps a file with the run: text as it is, anything else as JSON.',
  keys: {
    name: z.string().min(1),
    mediaType: z.string().min(1).optional(),
    content: z.unknown(),
    required: z.boolean().optional(),
  },
  effect: () => 'none',
  works: false,
  templated: ['name', 'mediaType', 'content'],
  output: () => objectOf({ artifactId: TEXT, name: TEXT, mediaType: TEXT, size: NUMBER, sha256: TEXT }),
  compute(fields, { runId, path, step, at }) {
    const { content } = fields;
    const text =
      typeof content === 'string' ? content : content === undefined || content === null ? '' : canonicalJson(content);
    if (text === '') {
      if (step.required === false) return { output: null, skipped: 'it has no content' };
      throw new TabloomError(
        'artifact_missing',
        `The artifact ${step.id} has no content; say \`required: false\` if that may be.`,
        { step: step.id, field: 'content' },
      );
    }
    const bytes = new TextEncoder().encode(text);
    const row: ArtifactRow = {
      artifactId: `a-${sha256Hex(`${runId}\n${path}`).slice(0, 24)}`,
      runId,
      path,
      name: String(fields.name),
      mediaType: typeof fields.mediaType === 'string' ? fields.mediaType : 'text/plain',
      size: bytes.length,
      sha256: sha256Hex(bytes),
      createdAt: at,
    };
    const { artifactId, name, mediaType, size, sha256 } = row;
    return { output: { artifactId, name, mediaType, size, sha256 }, artifacts: [{ row, bytes }] };
  },
};
