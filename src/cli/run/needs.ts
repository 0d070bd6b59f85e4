import type { RunDetail } from '../../app/protocol.ts';
import type { ApprovalRow, StepRunRow, WaitKind } from '../../model/run.ts';
import { oneLine } from './text.ts';

/** Something that a run waits for and that a person has to give. */
export type Need =
  | { kind: 'approval'; approval: ApprovalRow }
  | { kind: Exclude<WaitKind, 'approval' | 'timer' | 'page'>; row: StepRunRow }
  | { kind: 'paused' };

/** These end by themselves, when their time or their page comes. */
const AUTOMATIC: ReadonlySet<WaitKind> = new Set(['timer', 'page']);

/** All that a run now waits for from a person, oldest step first. */
export function needsOf({ run, steps, approvals }: RunDetail): Need[] {
  if (run.status === 'paused') return [{ kind: 'paused' }];
  const pending = approvals.filter((approval) => approval.status === 'pending');
  const needs: Need[] = [];
  for (const row of [...steps].sort((a, b) => a.order - b.order)) {
    const kind = row.status === 'waiting' ? row.wait?.kind : undefined;
    if (kind === undefined || AUTOMATIC.has(kind)) continue;
    if (kind !== 'approval') {
      needs.push({ kind: kind as Exclude<WaitKind, 'approval' | 'timer' | 'page'>, row });
      continue;
    }
    const approval = pending.find(({ approvalId, path }) => approvalId === row.wait?.subject || path === row.path);
    if (approval) needs.push({ kind, approval });
  }
  return needs;
}

/** True when nothing of the run goes on by itself: no work, no backoff, no timer, no page that may come. */
export function standsStill({ run, steps }: RunDetail): boolean {
  if (run.status === 'paused') return true;
  if (run.status !== 'waiting') return false;
  return !steps.some((row) => row.status === 'waiting' && row.wait !== undefined && AUTOMATIC.has(row.wait.kind));
}

/** Tells one need from another over several looks: a changed approval is another. */
export function needKey(need: Need): string {
  if (need.kind === 'paused') return 'paused';
  return need.kind === 'approval'
    ? `approval ${need.approval.hash}`
    : `${need.kind} ${need.row.path} ${need.row.attempt}`;
}

/** What is waited for, in words that follow "waits for". */
export function needWords(need: Need): string {
  if (need.kind === 'paused') return 'somebody to resume it';
  if (need.kind === 'approval')
    return `the approval "${oneLine(need.approval.title, 100)}" (step ${need.approval.path})`;
  const { row } = need;
  const subject = row.wait?.subject;
  switch (need.kind) {
    case 'recovery':
      return `word on what happened at step ${row.path}: it was interrupted, and may or may not have acted`;
    case 'permission':
      return `access to ${subject ?? 'a site'} (step ${row.path})`;
    case 'budget':
      return `a higher budget (step ${row.path})`;
    case 'signal':
      return `the signal "${subject ?? ''}" (step ${row.path})`;
    default:
      return `a ${need.kind.replace('_', ' ')} (step ${row.path})`;
  }
}

/** The command that goes on with a run that was left in a profile. */
export function resumeCommand(runId: string, profileDir: string): string {
  return `npx tabloom run --resume ${runId} --profile ${shellWord(profileDir)}`;
}

/** As one word for a shell: quoted where it has more than letters, digits and the usual signs of paths. */
function shellWord(text: string): string {
  return /^[\w./\\:@%+=,-]+$/.test(text) ? text : `"${text.replace(/[\\"$`]/g, '\\$&')}"`;
}

/**
 * The sentence with which the command leaves a run waiting: for what, and how to go on.
 * @param profileDir where the run stays.
 */
export function leftWaiting(need: Need, runId: string, profileDir: string): string {
  const resume = resumeCommand(runId, profileDir);
  const how: Partial<Record<Need['kind'], string>> = {
    approval: `${resume} and decide at the terminal, or add --approve`,
    permission: need.kind === 'permission' ? `${resume} --grant ${need.row.wait?.subject ?? 'ORIGIN'}` : undefined,
    recovery: `${resume} and answer at the terminal`,
    budget: `${resume} and answer at the terminal`,
    signal: `${resume} and answer at the terminal`,
    paused: `${resume} and answer at the terminal`,
  };
  return `The run stays and waits for ${needWords(need)}; go on with ${how[need.kind] ?? `${resume} where there is a display`}.`;
}
