import type { ReadResourceResult } from '@modelcontextprotocol/server';
import type { FrontSession } from './session.ts';

/** Addresses that answers of tools name. */
export const TEMPLATES = [
  {
    uriTemplate: 'run://{runId}/output',
    name: 'run_output',
    title: 'Output of a run',
    mimeType: 'application/json',
  },
  { uriTemplate: 'artifact://{artifactId}', name: 'artifact', title: 'File that a run has kept' },
];

/** @throws CallError with the browser's code; for an address that is none of ours too */
export async function readResource(
  session: FrontSession,
  uri: string,
  signal: AbortSignal,
): Promise<ReadResourceResult> {
  const [, runId] = /^run:\/\/([^/]+)\/output$/.exec(uri) ?? [];
  if (runId !== undefined) {
    const { value } = await session.ask('run.output', { runId }, { signal });
    return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(value) }] };
  }
  const artifactId = uri.replace(/^artifact:\/\//, '');
  const { value } = await session.ask('artifact.get', { artifactId }, { signal });
  const { mediaType, base64 } = value as { mediaType: string; base64: string };
  return { contents: [{ uri, mimeType: mediaType, blob: base64 }] };
}
