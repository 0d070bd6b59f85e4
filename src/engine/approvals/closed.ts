import type { Command, CommandResult } from '../../model/commands.ts';
import type { Store } from '../../ports/store.ts';
import { closedAnswer } from './decide.ts';

/**
 * A better answer to a decision on a step that is not there any more: the step may have left memory with its loop item, but its approval's
 * row still knows how it ended. Every other answer is given back as it is.
 */
export async function ofClosed(
  store: Pick<Store, 'approvals'>,
  command: Command,
  by: string,
  result: CommandResult,
): Promise<CommandResult> {
  if (result.ok || (result.code !== 'not_waiting' && result.code !== 'run_finished')) return result;
  if (command.type !== 'decide' && command.type !== 'edit') return result;
  const rows = await store.approvals({ runId: command.runId });
  const closed = rows.filter((approval) => approval.path === command.path && approval.status !== 'pending');
  const row = closed.find((approval) => approval.hash === command.hash) ?? closed[0];
  return row ? closedAnswer(row, command, by) : result;
}
