import type { ApprovalRow } from '../../model/run.ts';
import { shortHash } from '../../view/run-words.ts';
import { until } from '../browser/page.ts';
import { openPopup, type Popup } from '../browser/popup.ts';
import { RunFailure } from './failure.ts';
import type { OutFolder } from './out-folder.ts';
import type { Session } from './session.ts';

const CARD = '[data-testid="approval-card"]';

interface ShownCard {
  hash: string;
  shortHash: string;
  runId: string;
  path: string;
}

/** Reads the card that the popup shows; `null` while there is none. */
const READ_CARD = `(() => {
  const card = document.querySelector('${CARD}');
  const hash = card?.querySelector('[data-testid="approval-hash"]');
  return card && hash
    ? { hash: card.dataset.hash, shortHash: hash.textContent.trim(), runId: card.dataset.run, path: card.dataset.path }
    : null;
})()`;

/**
 * Says yes to an approval as a person would: opens the toolbar popup, looks whether its card is the one that is meant, waits
 * until the buttons may be used, and clicks Approve. Pictures of the popup before and after go into the folder.
 * @throws RunFailure when the popup shows something else, or refuses.
 */
export async function approveInPopup(session: Session, approval: ApprovalRow, folder: OutFolder): Promise<void> {
  const popup = await openPopup(session.page);
  try {
    const shown = await findCard(popup, approval);
    if (shown.hash !== approval.hash || shown.shortHash !== shortHash(approval.hash)) {
      throw new RunFailure(
        `Nothing was approved: the popup shows ${shown.shortHash} for step ${approval.path}, and ${shortHash(approval.hash)} was asked; run it again.`,
      );
    }
    await until(
      () =>
        popup.evaluate<boolean>(
          `document.querySelector('${CARD} [data-testid="decision"]:not([data-inert])') !== null`,
        ),
      () =>
        new RunFailure(
          `The popup's Approve button for step ${approval.path} never became usable; decide without --approve.`,
        ),
    );
    // Only now has the popup its final size.
    folder.write(`approval-${approval.path}-before.png`, await popup.screenshot());
    await popup.evaluate(`document.querySelector('${CARD} [data-testid="decision"]').scrollIntoView({ block: 'end' })`);
    folder.write(`approval-${approval.path}-decision.png`, await popup.screenshot());
    await popup.click(`${CARD}[data-hash="${approval.hash}"] [data-testid="approve"]`);
    await untilDecided(session, popup, approval);
    folder.write(`approval-${approval.path}-after.png`, await popup.screenshot());
  } finally {
    await popup.close().catch(() => undefined);
  }
}

/** Brings the card of the approval up. The newest is open; the others are one click away. */
async function findCard(popup: Popup, approval: ApprovalRow): Promise<ShownCard> {
  const read = () => popup.evaluate<ShownCard | null>(READ_CARD);
  const isMeant = (card: ShownCard | null) => card?.runId === approval.runId && card.path === approval.path;
  const missing = () =>
    new RunFailure(`The popup does not show the approval of step ${approval.path}; decide without --approve.`);
  let card = await until(async () => (await read()) ?? undefined, missing);
  const others = await popup.evaluate<number>(`document.querySelectorAll('[data-testid="other-approval"]').length`);
  for (let i = 0; i < others && !isMeant(card); i++) {
    await popup.evaluate(`document.querySelector('[data-testid="more-approvals"]').open = true`);
    // The card that was shown goes to the front of the others, so the next one is always at place i.
    await popup.click(`[data-testid="more-approvals"] li:nth-child(${i + 1}) [data-testid="other-approval"]`);
    const before = card.hash;
    card = await until(async () => {
      const now = await read();
      return now && now.hash !== before ? now : undefined;
    }, missing);
  }
  if (!isMeant(card)) throw missing();
  return card;
}

async function untilDecided(session: Session, popup: Popup, approval: ApprovalRow): Promise<void> {
  let refusal = '';
  await until(
    async () => {
      const detail = await session.background.ask('run.get', { runId: approval.runId });
      const now = detail?.approvals.find(({ approvalId }) => approvalId === approval.approvalId);
      if (now && now.status !== 'pending') return true;
      refusal = await popup
        .evaluate<string>(`document.querySelector('${CARD} .error-box')?.innerText ?? ''`)
        .catch(() => '');
      return refusal !== '';
    },
    () => new RunFailure(`The click on Approve for step ${approval.path} had no effect; decide without --approve.`),
  );
  if (refusal !== '')
    throw new RunFailure(`The approval of step ${approval.path} was refused: ${refusal.replace(/\s+/g, ' ')}`);
}
