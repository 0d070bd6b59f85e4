import type { StepRunRow } from '../../model/run.ts';
import { translatorFor } from '../../view/messages/index.ts';
import { recoveryAsked, recoveryCause } from '../../view/recovery.ts';
import { actText } from './approval-text.ts';
import { oneLine } from './text.ts';

const words = translatorFor('en');

/** The question what became of a step that was cut off: what happened, what it does, on which page, and what each answer does. */
export function recoveryText(row: StepRunRow): string {
  const { cause, act, page } = recoveryAsked(row.wait ?? {});
  const lines = [
    `Did step ${row.path} (${oneLine(row.name)}) happen?`,
    words.t(`waits.recoveryWhy.${recoveryCause(cause)}`),
  ];
  if (act) lines.push(`  it does  ${actText(act)}`);
  if (page) lines.push(`  page     ${oneLine(page.url)}${page.title === '' ? '' : ` (${oneLine(page.title)})`}`);
  lines.push(
    words.t('waits.recoveryNext'),
    '  [d]one   it happened: it counts as done with the output that you give, and is not done again',
    '  [r]etry  it did not happen: it is done once more, now',
    '  [f]ail   it is not done again: the run fails with "interrupted", unless the workflow says how to go on',
  );
  return lines.join('\n');
}
