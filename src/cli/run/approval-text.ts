import type { ApprovalRow, CoveredAct } from '../../model/run.ts';
import { actSentence } from '../../view/act-sentence.ts';
import { translatorFor } from '../../view/messages/index.ts';
import { shortHash } from '../../view/run-words.ts';
import { durationText, indented, printable } from './text.ts';

const RISKS: Record<ApprovalRow['risk'], string> = {
  reversible: 'can be undone',
  irreversible: 'CANNOT be undone',
  money: 'SPENDS MONEY',
  message: 'SENDS A MESSAGE',
};

const words = translatorFor('en');

/** An approval in full for the terminal: everything that its hash binds is in it. @param now epoch milliseconds */
export function approvalText(approval: ApprovalRow, now: number): string {
  const lines = [
    `── Approval ${'─'.repeat(60)}`,
    printable(approval.title),
    ...(approval.message === '' ? [] : [indented(printable(approval.message), '  ')]),
    '',
    `  asked by   ${printable(approval.workflowName)}, revision ${shortHash(approval.revision)}, step ${approval.path}`,
  ];
  if (approval.replaces) lines.push(`  again      ${printable(approval.replaces.reason)}`);
  if (approval.show !== undefined) {
    lines.push('  shown', indented(printable(JSON.stringify(approval.show, null, 2)), '    '));
  }
  if (approval.covers.length > 0) {
    lines.push(`  then       exactly these ${approval.covers.length} acts:`);
    approval.covers.forEach((act, i) => {
      lines.push(indented(`${String(i + 1).padStart(2)}. ${actText(act)}`, '    '));
    });
  }
  lines.push(
    `  risk       ${RISKS[approval.risk]}`,
    `  role       ${approval.requiredRole}, expires in ${durationText(Math.max(0, approval.expiresAt - now))}`,
    `  hash       ${shortHash(approval.hash)}`,
    '─'.repeat(72),
  );
  return lines.join('\n');
}

/** One covered act in one line: the verb, the target, every value, and where. */
export function actText(act: CoveredAct): string {
  const { verb, target, value, pairs, rest, origin, tab } = actSentence(act, words);
  const parts = [verb, target, value === undefined ? undefined : `= ${JSON.stringify(value)}`];
  for (const pair of pairs ?? []) parts.push(`${pair.target} = ${JSON.stringify(pair.value)};`);
  if (rest) parts.push(JSON.stringify(rest));
  if (origin !== undefined) parts.push(`on ${origin}`);
  if (tab !== undefined) parts.push(`in tab ${tab}`);
  return printable(`${parts.filter(Boolean).join(' ')}  (${act.path})`);
}
