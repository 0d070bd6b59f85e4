import type { LinkCall } from '../../../adapters/link/connect.ts';
import { TabloomError } from '../../../model/errors.ts';
import type { Json } from '../../../model/json.ts';
import type { App } from '../../app.ts';
import { approvalsList } from './approvals.ts';
import { browserCall, browserEnd, browserResult, outcome } from './browser.ts';
import type { Method } from './define.ts';
import { artifactGet, resourcesList, runOutput, stepOutput } from './resources.ts';
import { runCancel, runGet, runSignal, runStart, runsList } from './runs.ts';
import { catalog, workflowDraft, workflowGet } from './workflows.ts';

/** All that the bridge may ask; nothing else of the extension is reachable from outside. */
const METHODS: Record<string, Method> = {
  catalog,
  'workflow.draft': workflowDraft,
  'workflow.get': workflowGet,
  'resources.list': resourcesList,
  'run.start': runStart,
  'run.get': runGet,
  'run.output': runOutput,
  'run.step': stepOutput,
  'runs.list': runsList,
  'run.cancel': runCancel,
  'run.signal': runSignal,
  'approvals.list': approvalsList,
  'artifact.get': artifactGet,
  'browser.call': browserCall,
  'browser.result': browserResult,
  'browser.end': browserEnd,
  outcome,
};

/** @throws TabloomError `bad_request` for what is no method; what the method throws */
export async function answerCall(app: App, call: LinkCall): Promise<Json> {
  const found = Object.hasOwn(METHODS, call.method) ? METHODS[call.method] : undefined;
  if (!found)
    throw new TabloomError(
      'bad_request',
      `Update Tabloom: the extension does not know "${call.method}" of the bridge.`,
    );
  return found.run(app, call);
}
