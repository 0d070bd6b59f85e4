import { CheckCheck } from 'lucide-preact';
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type { SurfaceState } from '../../src/app/protocol.ts';
import { BatchCard, TogetherButton } from '../approval/batch.tsx';
import { ApprovalCard, cardKey } from '../approval/card.tsx';
import { groupOf, membersOf } from '../approval/together.ts';
import { Empty } from '../kit/feedback.tsx';
import { t } from '../kit/i18n.tsx';
import { Waits } from '../run/waits.tsx';

/** All approvals that wait, newest first and open; the others open one by one. Then what waits for a person in other ways. */
export function ApprovalsList({ state }: { state: SurfaceState }) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [together, setTogether] = useState<string>();
  if (state.approvals.length === 0 && together === undefined && state.waiting.length === 0) {
    return (
      <Empty
        icon={<CheckCheck size={28} aria-hidden="true" />}
        title={t('approvals.none')}
        next={t('approvals.noneNext')}
      />
    );
  }
  const single = state.approvals.filter((row) => groupOf(row) !== together);
  return (
    <div class="stack">
      {together !== undefined && (
        <BatchCard key={together} rows={membersOf(together, state.approvals)} onClose={() => setTogether(undefined)} />
      )}
      {single.map((row, i) => {
        const key = cardKey(row);
        if (i === 0 || opened.has(key))
          return (
            <Fragment key={key}>
              {single.find((each) => groupOf(each) === groupOf(row)) === row && (
                <TogetherButton row={row} approvals={single} onOpen={setTogether} />
              )}
              <ApprovalCard row={row} />
            </Fragment>
          );
        return (
          <button
            type="button"
            class="card folded"
            key={key}
            data-testid="other-approval"
            onClick={() => setOpened(new Set(opened).add(key))}
          >
            <b dir="auto">{row.title}</b>
            <span class="muted small" dir="auto">
              {row.workflowName}
            </span>
          </button>
        );
      })}
      <Waits waiting={state.waiting} />
    </div>
  );
}
