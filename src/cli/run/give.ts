import type { ApprovalRow } from '../../model/run.ts';
import { openPopup } from '../browser/popup.ts';
import type { FollowOptions } from './follow.ts';
import type { Io } from './io.ts';
import { type Need, needKey, needWords } from './needs.ts';
import type { RunOptions } from './options.ts';
import type { OutFolder } from './out-folder.ts';
import { approveInPopup } from './popup-approval.ts';
import type { Session } from './session.ts';
import { askFor, terminalCanGive } from './terminal.ts';

export interface GiveContext {
  session: Session;
  runId: string;
  options: Pick<RunOptions, 'approve' | 'headless'>;
  io: Io;
  /** Aborted when the person stops the command: questions end. */
  signal: AbortSignal;
  folder: () => OutFolder;
}

/**
 * Who gives what a run waits for: with `--approve` the popup is clicked; headless the terminal asks, where somebody sits at it;
 * with a window the person decides there and the command only says so.
 */
export function giver(context: GiveContext): FollowOptions['give'] {
  const { session, runId, options, io, signal } = context;
  const hinted = new Set<string>();
  const left = new Set<string>();
  return async (need) => {
    if (signal.aborted) return 'elsewhere'; // Being cancelled: its end is on its way.
    const key = needKey(need);
    if (need.kind === 'approval' && options.approve) {
      io.say(`Approving "${need.approval.title}" in the popup.`);
      await approveInPopup(session, need.approval, context.folder());
      return 'given';
    }
    if (!options.headless) {
      if (!hinted.has(key)) io.say(hintFor(need));
      hinted.add(key);
      return 'elsewhere';
    }
    if (!io.interactive || !terminalCanGive(need) || left.has(key)) return 'no';
    try {
      const given = await askFor(need, {
        io,
        runId,
        now: () => Date.now(),
        command: session.background.command,
        open: (approval) => openCard(session, approval, context.folder()),
        signal,
      });
      if (given) return 'given';
      left.add(key);
      return 'no';
    } catch (error) {
      if (signal.aborted) return 'elsewhere';
      throw error;
    }
  };
}

function hintFor(need: Need): string {
  return `The run waits for ${needWords(need)}: decide in the browser, in Tabloom's popup (Ctrl+Shift+Y), side panel, or tab.`;
}

/** Without a window there is nothing to show, but the popup's own picture of the card, and everything in it as JSON. */
async function openCard(session: Session, approval: ApprovalRow, folder: OutFolder): Promise<string> {
  const json = folder.write(`approval-${approval.path}.json`, `${JSON.stringify(approval, null, 2)}\n`);
  const popup = await openPopup(session.page);
  try {
    const png = folder.write(`approval-${approval.path}.png`, await popup.screenshot());
    return `Saved ${png} and ${json} in ${folder.path}.`;
  } finally {
    await popup.close().catch(() => undefined);
  }
}
