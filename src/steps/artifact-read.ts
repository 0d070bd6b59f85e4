import type { StepType, WorkContext, WorkResult } from '../engine/step-type.ts';
import { TabloomError } from '../model/errors.ts';
import { artifactReadArguments } from '../operations/artifact.ts';

/** How `artifact.read` is done: unlike other operations it looks into the store. A file of another run is as if it were not there. */
export function artifactReadOf(command: StepType): StepType {
  const { compute: _, ...rest } = command;
  return { ...rest, run };
}

async function run({ fields, path, runId, ports }: WorkContext): Promise<WorkResult> {
  const failed = (why: string) =>
    new TabloomError('operation_failed', `The operation artifact.read could not be carried out: ${why}.`, {
      step: path,
    });
  const parsed = artifactReadArguments.safeParse(fields.arguments ?? {});
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw failed(
      `${['arguments', ...(issue?.path.map(String) ?? [])].join('.')}: ${issue?.message ?? 'they do not fit'}`,
    );
  }
  const { artifactId, as } = parsed.data;
  const found = await ports.artifacts.artifact(artifactId);
  if (!found || found.row.runId !== runId)
    throw failed(`this run keeps no file "${artifactId}"; give the artifactId that a step before gave`);
  if (as === 'base64') return { output: base64(found.bytes) };
  try {
    return { output: new TextDecoder('utf-8', { fatal: true }).decode(found.bytes) };
  } catch {
    throw failed(`${found.row.name} is no text; read it as base64`);
  }
}

/** Bytes in one go would be more arguments than a call may have. */
const CHUNK = 0x8000;

function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(text);
}
