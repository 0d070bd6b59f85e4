import type { ReadResourceResult } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../model/json.ts';
import { CallError } from './hub-client.ts';
import type { FrontSession } from './session.ts';
import { CALL_MOST } from './tools/runs.ts';

/** What there is to read, by address. */
export const TEMPLATES = [
  { uriTemplate: 'run://{runId}', name: 'run', title: 'State of a run', mimeType: 'application/json' },
  { uriTemplate: 'run://{runId}/output', name: 'run_output', title: 'Output of a run', mimeType: 'application/json' },
  {
    uriTemplate: 'run://{runId}/step/{path}',
    name: 'step_output',
    title: 'Output of a step of a run',
    mimeType: 'application/json',
  },
  { uriTemplate: 'artifact://{artifactId}', name: 'artifact', title: 'File that a run has kept' },
  {
    uriTemplate: 'workflow://{workflowId}',
    name: 'workflow',
    title: 'File of a workflow that is a tool, or that you have proposed',
    mimeType: 'application/yaml',
  },
  { uriTemplate: 'page://{tab}/snapshot', name: 'page', title: 'What one of your tabs shows', mimeType: 'text/plain' },
];

/** What the browser has to offer now, newest first. */
export interface Offer {
  workflows: { workflowId: string; name: string }[];
  runs: { runId: string; workflow: string; status: string }[];
  tabs: { tab: string; title: string; url: string }[];
}

/** How long a list may wait for a browser, milliseconds: clients ask for it at their start. */
const PATIENCE = 1500;

/** @returns nothing on offer where there is no browser, or not one */
export async function offerOf(session: FrontSession, signal: AbortSignal): Promise<Offer> {
  try {
    const { value } = await session.ask('resources.list', {}, { patience: PATIENCE, signal });
    return value as unknown as Offer;
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    return { workflows: [], runs: [], tabs: [] };
  }
}

export async function listResources(session: FrontSession, signal: AbortSignal) {
  const { workflows, runs, tabs } = await offerOf(session, signal);
  return [
    ...tabs.map(({ tab, title, url }) => ({
      uri: `page://${tab}/snapshot`,
      name: `Page in ${tab}`,
      title: title || url,
      mimeType: 'text/plain',
    })),
    ...workflows.map(({ workflowId, name }) => ({
      uri: `workflow://${workflowId}`,
      name: workflowId,
      title: name,
      mimeType: 'application/yaml',
    })),
    ...runs.map(({ runId, workflow, status }) => ({
      uri: `run://${runId}`,
      name: runId,
      title: `${workflow}: ${status}`,
      mimeType: 'application/json',
    })),
  ];
}

/** @throws CallError with the browser's code; for an address that is none of ours too */
export async function readResource(
  session: FrontSession,
  uri: string,
  signal: AbortSignal,
): Promise<ReadResourceResult> {
  const [, scheme, id, rest = ''] = /^(\w+):\/\/([^/]+)(\/.*)?$/.exec(uri) ?? [];
  const json = (value: unknown) => ({
    contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(value) }],
  });
  const ask = async (method: string, params: JsonObject) => (await session.ask(method, params, { signal })).value;
  if (scheme === 'run' && id && rest === '') return json(await ask('run.get', { runId: id }));
  if (scheme === 'run' && id && rest === '/output') return json(await ask('run.output', { runId: id }));
  if (scheme === 'run' && id && rest.startsWith('/step/'))
    return json(await ask('run.step', { runId: id, path: decodeURIComponent(rest.slice('/step/'.length)) }));
  if (scheme === 'workflow' && id && rest === '') {
    const { source } = (await ask('workflow.get', { workflowId: id })) as { source: string };
    return { contents: [{ uri, mimeType: 'application/yaml', text: source }] };
  }
  if (scheme === 'page' && id && rest === '/snapshot') return page(session, uri, id, signal);
  if (scheme === 'artifact' && id && rest === '') {
    const { mediaType, base64 } = (await ask('artifact.get', { artifactId: id })) as Record<string, string>;
    return { contents: [{ uri, mimeType: mediaType as string, blob: base64 as string }] };
  }
  throw new CallError(
    'resource_unknown',
    `Read one of the addresses that are listed, or fit a template: ${uri} is none.`,
  );
}

async function page(session: FrontSession, uri: string, tab: string, signal: AbortSignal): Promise<ReadResourceResult> {
  const params = { tool: 'browser_snapshot', arguments: { tab }, waitMs: 30_000 };
  const { value } = await session.ask('browser.call', params, { signal, again: 'ask', withinMs: CALL_MOST });
  const { ended, output, excerpt } = value as { ended: boolean; output?: { text?: string }; excerpt?: string };
  if (!ended) throw new CallError('session_busy', 'Read it again in a moment: the page has not answered yet.');
  return { contents: [{ uri, mimeType: 'text/plain', text: output?.text ?? excerpt ?? '' }] };
}
