import type { Command, CommandResult } from '../../model/commands.ts';
import type { Json } from '../../model/json.ts';
import type { ApprovalRow, StepRunRow } from '../../model/run.ts';
import { approvalText } from './approval-text.ts';
import type { Io } from './io.ts';
import type { Need } from './needs.ts';
import { recoveryText } from './recovery-text.ts';
import { oneLine, printable } from './text.ts';

/** What a question at the terminal needs besides the need itself. */
export interface TerminalContext {
  io: Io;
  runId: string;
  now: () => number;
  command: (command: Command) => Promise<CommandResult>;
  /** Saves what the terminal shows poorly, and says where: answer `o` to an approval. */
  open: (approval: ApprovalRow) => Promise<string>;
  /** Ends a question that is open. */
  signal: AbortSignal;
}

/** Needs that can be given at a terminal. The others need the browser's own surfaces. */
export function terminalCanGive(need: Need): boolean {
  return ['approval', 'recovery', 'budget', 'signal', 'paused'].includes(need.kind);
}

/**
 * Asks the person for one need and sends the answer. A refusal is said, and the need comes up again with the next look.
 * @returns false when nothing was decided (the input ended, or the question was left).
 */
export async function askFor(need: Need, context: TerminalContext): Promise<boolean> {
  const command = await commandFor(need, context);
  if (!command) return false;
  const result = await context.command(command);
  if (!result.ok) context.io.complain(`Not done (${result.code}): ${printable(result.message)}`);
  return true;
}

async function commandFor(need: Need, context: TerminalContext): Promise<Command | undefined> {
  const { runId } = context;
  switch (need.kind) {
    case 'approval':
      return decide(need.approval, context);
    case 'recovery':
      return recover(need.row, context);
    case 'budget': {
      const tokens = Number(await choose(context, 'New limit in tokens (empty: leave it waiting)? ', /^\d*$/));
      return tokens > 0 ? { type: 'raiseBudget', runId, tokens } : undefined;
    }
    case 'signal': {
      const name = need.row.wait?.subject ?? '';
      const answer = await choose(
        context,
        `Send the signal "${oneLine(name)}" to step ${need.row.path}, [y]es or [n]o? `,
        /^(y|yes|n|no|)$/i,
      );
      return /^y/i.test(answer) ? { type: 'signal', runId, name } : undefined;
    }
    case 'paused': {
      const answer = await choose(
        context,
        'The run is paused: [r]esume, or leave it [w]aiting? ',
        /^(r|resume|w|waiting|)$/i,
      );
      return /^r/i.test(answer) ? { type: 'resume', runId } : undefined;
    }
    default:
      return undefined;
  }
}

async function decide(approval: ApprovalRow, context: TerminalContext): Promise<Command | undefined> {
  context.io.say(`\n${approvalText(approval, context.now())}`);
  for (;;) {
    const answer = (
      await choose(context, '[a]pprove, [r]eject, or [o]pen as a picture? ', /^(a|approve|r|reject|o|open|)$/i)
    ).toLowerCase();
    if (answer === '') return undefined;
    if (answer.startsWith('o')) {
      context.io.say(await context.open(approval));
      continue;
    }
    const decision = answer.startsWith('a') ? 'approved' : 'rejected';
    const comment = await context.io.ask('Comment (may be empty): ', context.signal);
    const { runId, path, hash } = approval;
    return { type: 'decide', runId, path, hash, decision, ...(comment === '' ? {} : { comment }) };
  }
}

async function recover(row: StepRunRow, context: TerminalContext): Promise<Command | undefined> {
  const { runId } = context;
  const { path } = row;
  context.io.say(`\n${recoveryText(row)}`);
  const answer = (await choose(context, '[d]one, [r]etry, or [f]ail? ', /^(r|retry|d|done|f|fail|)$/i)).toLowerCase();
  if (answer === '') return undefined;
  if (answer.startsWith('r')) return { type: 'recover', runId, path, decision: 'retry' };
  if (answer.startsWith('f')) return { type: 'recover', runId, path, decision: 'fail' };
  const output = await readJson(context, "The step's output as JSON (empty for none): ");
  return { type: 'recover', runId, path, decision: 'done', output };
}

async function readJson(context: TerminalContext, question: string): Promise<Json> {
  for (;;) {
    const text = await context.io.ask(question, context.signal);
    if (text === '') return null;
    try {
      return JSON.parse(text) as Json;
    } catch {
      context.io.say('That is no JSON.');
    }
  }
}

/** Asks until the answer has the form. */
async function choose({ io, signal }: TerminalContext, question: string, form: RegExp): Promise<string> {
  for (;;) {
    const answer = await io.ask(question, signal);
    if (form.test(answer)) return answer;
  }
}
