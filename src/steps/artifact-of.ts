import type { WorkContext } from '../engine/step-type.ts';
import { sha256Hex } from '../model/canonical.ts';
import type { JsonObject } from '../model/json.ts';
import type { ArtifactRow } from '../model/run.ts';

/** Makes the row and the output of a file that a step's work produced (a screenshot, a download). One for each step and attempt. */
export function artifactOf(
  context: Pick<WorkContext, 'runId' | 'path' | 'attempt' | 'now'>,
  file: { name: string; mediaType: string; bytes: Uint8Array },
): { output: JsonObject; kept: { row: ArtifactRow; bytes: Uint8Array } } {
  const { runId, path, attempt } = context;
  const { name, mediaType, bytes } = file;
  const artifactId = `a-${sha256Hex(`${runId}\n${path}\n${attempt}`).slice(0, 24)}`;
  const size = bytes.length;
  const sha256 = sha256Hex(bytes);
  return {
    output: { artifactId, name, mediaType, size, sha256 },
    kept: { row: { artifactId, runId, path, name, mediaType, size, sha256, createdAt: context.now() }, bytes },
  };
}
