import type { Command, CommandResult, InboxCommand } from '../model/commands.ts';
import { FINAL_RUN } from '../model/run.ts';
import { decideApproval, editApproval, refuse } from './approvals/decide.ts';
import { outputProblem } from './begin.ts';
import { finalFailure, finish } from './failure.ts';
import { complete, goOn } from './flow.ts';
import { tabsUnseen } from './interrupted.ts';
import { emit, type Machine } from './machine.ts';
import type { Onto } from './newer/move.ts';
import { decideReview } from './people/review.ts';
import { completeTask } from './people/task.ts';
import { rescan } from './rescan.ts';
import { retryRun } from './retry-run.ts';
import { endRun } from './run-end.ts';
import { seePage, takeSignal } from './waits.ts';

/**
 * Takes a command, or says why not; a refusal changes nothing (SPEC §6, *Control*).
 * @param onto the revision that a retry goes on under, where that is another one
 */
export function takeCommand(m: Machine, inbox: InboxCommand, onto?: Onto): CommandResult {
  const { command } = inbox;
  const final = FINAL_RUN.includes(m.state.run.status);
  if (command.type === 'retry') return retryRun(m, inbox.by, onto);
  const decides = command.type === 'decide' || command.type === 'edit';
  if (final && !(decides && m.state.steps.get(command.path)?.approval)) {
    return refuse('run_finished', `The run has ended (${m.state.run.status}); retry it or start a new one.`);
  }
  switch (command.type) {
    case 'decide':
      return decideApproval(m, inbox, command);
    case 'edit':
      return editApproval(m, inbox, command);
    case 'pause':
      if (m.state.paused) return refuse('already_paused', 'The run is already paused.');
      emit(m, 'run.paused', undefined, { by: inbox.by });
      return { ok: true };
    case 'resume':
      if (!m.state.paused) return refuse('not_paused', 'The run is not paused.');
      emit(m, 'run.resumed', undefined, { by: inbox.by });
      rescan(m);
      return { ok: true };
    case 'cancel':
      endRun(
        m,
        'cancelled',
        { code: 'cancelled', message: `Cancelled by ${inbox.by}${command.reason ? `: ${command.reason}` : ''}.` },
        inbox.by,
      );
      return { ok: true };
    case 'wake':
      return wake(m, command);
    case 'signal': {
      emit(m, 'signal.received', undefined, { name: command.name, payload: command.payload ?? null, by: inbox.by });
      // Whoever sent it may want to know which wait it has ended; one that came before its wait is kept, and ends none now.
      for (const step of m.state.steps.values())
        if (step.row.wait?.kind === 'signal' && takeSignal(m, step)) return { ok: true, data: { path: step.row.path } };
      return { ok: true };
    }
    case 'pageSeen':
      return seePage(m, inbox.by, command);
    case 'recover':
      return recover(m, command);
    case 'review':
      return decideReview(m, inbox, command);
    case 'completeTask':
      return completeTask(m, inbox.by, command);
    case 'rerun':
      return refuse('internal', 'A rerun is a run of its own.');
    case 'raiseBudget':
      return raiseBudget(m, inbox.by, command);
  }
}

/** Names a new limit; every step that waits for one looks again. */
function raiseBudget(m: Machine, by: string, command: Extract<Command, { type: 'raiseBudget' }>): CommandResult {
  const { budget } = m.state;
  if (!budget) return refuse('not_waiting', 'This run has no budget.');
  const limit: { tokens?: number; usd?: number } = {};
  for (const key of ['tokens', 'usd'] as const) {
    const [present, wanted] = [budget[key], command[key]];
    if (wanted === undefined) continue;
    if (present === undefined) return refuse('form_invalid', `The budget of this run does not count ${key}.`);
    if (!(wanted > present)) return refuse('form_invalid', `Name a limit above the present one, ${present} ${key}.`);
    limit[key] = wanted;
  }
  if (Object.keys(limit).length === 0) return refuse('form_invalid', 'Name the new limit in tokens or USD.');
  emit(m, 'run.budget', undefined, { limit, by });
  for (const step of [...m.state.busy]) {
    if (step.row.wait?.kind !== 'budget') continue;
    emit(m, 'step.resumed', step.row.path);
    goOn(m, step);
  }
  return { ok: true };
}

/** A manual *wake* ends any wait for time, a signal or a page; for a permission it looks again. */
function wake(m: Machine, command: Extract<Command, { type: 'wake' }>): CommandResult {
  const step = m.state.steps.get(command.path);
  const kind = step?.row.wait?.kind;
  if (step && (kind === 'timer' || kind === 'signal' || kind === 'page')) {
    finish(m, step, { wokenBy: 'wake', payload: null });
    return { ok: true };
  }
  if (step && kind === 'permission') {
    emit(m, 'step.resumed', command.path);
    goOn(m, step);
    return { ok: true };
  }
  return refuse('not_waiting', `${command.path} is not in a wait that can be woken.`);
}

/** A person says what became of a *once* step whose outcome nobody knows. */
function recover(m: Machine, command: Extract<Command, { type: 'recover' }>): CommandResult {
  const step = m.state.steps.get(command.path);
  if (step?.row.wait?.kind !== 'recovery') return refuse('not_waiting', `${command.path} is not waiting for recovery.`);
  if (command.decision === 'retry') {
    emit(m, 'step.resumed', command.path, { known: true });
    goOn(m, step);
  } else if (command.decision === 'done') {
    const problem = outputProblem(m, step.plan, command.output ?? null);
    if (problem) return refuse('form_invalid', problem.message);
    complete(m, step, command.output ?? null, { recovered: 'done', tabs: tabsUnseen(m, step) });
  } else {
    finalFailure(m, step, {
      code: 'interrupted',
      message: `${step.row.name} was interrupted and given up.`,
      step: command.path,
    });
  }
  return { ok: true };
}
