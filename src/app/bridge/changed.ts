import type { UpdateMessage } from '../protocol.ts';
import type { TriggerService } from '../triggers/index.ts';
import type { ClientSessions } from './sessions.ts';

/** What a change means to MCP clients: lists (`tools`, `resources`), and addresses that they may have subscribed to. */
export function changedBy(
  { what, runId }: Pick<UpdateMessage, 'what' | 'runId'>,
  clients: Pick<ClientSessions, 'tabsOf'>,
  triggers: Pick<TriggerService, 'tools'>,
): string[] {
  const changed: string[] = [];
  if (runId !== undefined && what.includes('runs')) {
    changed.push(`run://${runId}`, `run://${runId}/output`);
    for (const tab of clients.tabsOf(runId)) changed.push(`page://${tab}/snapshot`);
  }
  if (what.includes('workflows')) {
    const workflows = triggers.tools().map(({ workflow }) => `workflow://${workflow.workflowId}`);
    changed.push('tools', 'resources', ...workflows);
  }
  // As many as one message may name.
  return changed.slice(0, 100);
}
