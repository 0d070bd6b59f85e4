import { Check, X } from 'lucide-preact';
import { useId, useRef, useState } from 'preact/hooks';
import type { ApprovalRow } from '../../src/model/run.ts';
import { refusalWords } from '../../src/view/run-words.ts';
import { command } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { Conflict } from '../kit/conflict.tsx';
import { ErrorBox } from '../kit/feedback.tsx';
import { AreaField } from '../kit/field.tsx';
import { t, translator } from '../kit/i18n.tsx';
import { notify } from '../kit/toast.tsx';
import { markDecided, refresh } from '../state.ts';
import { useDraft } from '../use-draft.ts';
import { Always } from './always.tsx';
import { useGuard } from './guard.ts';
import { Risk } from './risk.tsx';

type Verdict = 'approved' | 'rejected';

/**
 * Comment, *Reject*, *Approve*. Nothing here is focused by itself and no single key decides; Ctrl/⌘+Enter does while the focus is
 * inside. The decision names the hash that is on the card. Leaving the page decides nothing.
 */
export function Decision({ row, blocked }: { row: ApprovalRow; blocked: boolean }) {
  const area = useRef<HTMLFieldSetElement>(null);
  const [always, setAlways] = useState(false);
  // A tick changes what a yes means: the click that was on its way was not for that.
  const guard = useGuard(area, `${row.hash}${always ? ' always' : ''}`);
  const [comment, setComment, , conflict] = useDraft(`comment:${row.approvalId}`);
  const [sending, setSending] = useState<Verdict>();
  const [done, setDone] = useState<Verdict>();
  const [refusal, setRefusal] = useState<{ text: string; code: string }>();
  const hintId = useId();

  const decide = async (decision: Verdict) => {
    if (blocked || sending || done || !guard.check()) return;
    setSending(decision);
    setRefusal(undefined);
    const result = await command({
      type: 'decide',
      runId: row.runId,
      path: row.path,
      hash: row.hash,
      decision,
      ...(comment.trim() === '' ? {} : { comment: comment.trim() }),
      ...(always && row.standing && decision === 'approved' ? { always } : {}),
    });
    setSending(undefined);
    if (!result.ok) {
      setRefusal({ text: refusalWords(result, translator.value), code: result.code });
    } else {
      markDecided(row.approvalId);
      setDone(decision);
      setComment('');
      notify(t(`approval.${decision}`, { title: row.title }));
    }
    void refresh();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.repeat) return;
    event.preventDefault();
    const onReject = event.target instanceof Element && event.target.closest('[data-testid="reject"]');
    void decide(onReject ? 'rejected' : 'approved');
  };

  const off = blocked || guard.inert || done !== undefined;
  return (
    <fieldset
      class={`decision ${blocked ? '' : 'decision-open'}`}
      ref={area}
      onKeyDown={onKeyDown}
      data-testid="decision"
      data-inert={off ? 'true' : undefined}
    >
      <legend class="visually-hidden">{t('approval.decision')}</legend>
      {refusal && <ErrorBox text={refusal.text} code={refusal.code} />}
      <Risk risk={row.risk} acts={row.covers.length} />
      {blocked && <p class="muted small">{t('approval.decideAfterEdit')}</p>}
      <Always row={row} checked={always} onValue={setAlways} />
      <AreaField
        label={t('approval.comment')}
        hideLabel
        placeholder={t('approval.comment')}
        value={comment}
        rows={1}
        onValue={setComment}
        testid="comment"
      />
      <Conflict conflict={conflict} />
      <div class="decide-buttons">
        <Button
          class="decide"
          data-testid="reject"
          inert={off || sending === 'approved'}
          busy={sending === 'rejected'}
          icon={<X size={16} aria-hidden="true" />}
          onClick={() => void decide('rejected')}
        >
          {sending === 'rejected' ? t('approval.rejecting') : t('approval.reject')}
        </Button>
        <Button
          class="decide"
          kind="primary"
          data-testid="approve"
          aria-describedby={hintId}
          title={t('approval.keyHint')}
          inert={off || sending === 'rejected'}
          busy={sending === 'approved'}
          icon={<Check size={16} aria-hidden="true" />}
          onClick={() => void decide('approved')}
        >
          {sending === 'approved' ? t('approval.approving') : t('approval.approve')}
        </Button>
      </div>
      <p class="visually-hidden" id={hintId}>
        {t('approval.keyHint')}
      </p>
    </fieldset>
  );
}
