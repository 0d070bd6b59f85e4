import { BookOpenCheck } from 'lucide-preact';
import { useRef, useState } from 'preact/hooks';
import type { SurfaceState } from '../../src/app/protocol.ts';
import type { Command } from '../../src/model/commands.ts';
import { isObject, type Json } from '../../src/model/json.ts';
import { useGuard } from '../approval/guard.ts';
import { Payload } from '../approval/payload.tsx';
import { Button } from '../kit/button.tsx';
import { AreaField } from '../kit/field.tsx';
import { t } from '../kit/i18n.tsx';
import { act } from './actions.ts';
import { Frame } from './wait-frame.tsx';

type Waiting = SurfaceState['waiting'][number];
type Word = Extract<Command, { type: 'review' }>['decision'];

/** What a step has made, to be read: accepted, edited, sent back with a comment, or rejected. */
export function ReviewCard({ one }: { one: Waiting }) {
  const data = isObject(one.data) ? one.data : {};
  const content = data.content ?? null;
  const [comment, setComment] = useState('');
  const [edited, setEdited] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const buttons = useRef<HTMLDivElement>(null);
  const guard = useGuard(buttons, one.subject ?? '');
  const asText = typeof content === 'string';

  const send = (decision: Word, value?: Json) => {
    if (!guard.check()) return;
    void act(
      {
        type: 'review',
        runId: one.runId,
        path: one.path,
        hash: one.subject ?? '',
        decision,
        ...(comment.trim() === '' ? {} : { comment: comment.trim() }),
        ...(value === undefined ? {} : { content: value }),
      },
      t('waits.answered', { name: one.name }),
    );
  };

  const accept = () => {
    if (edited === undefined) return send('accept');
    if (asText) return send('edit', edited);
    try {
      send('edit', JSON.parse(edited) as Json);
    } catch (error) {
      setProblem(t('waits.recoveryOutputBad', { reason: error instanceof Error ? error.message : String(error) }));
    }
  };

  const rounds = Number(data.rounds ?? 0);
  return (
    <Frame
      one={one}
      title={t('review.title')}
      asks={typeof data.title === 'string' ? data.title : undefined}
      icon={<BookOpenCheck size={16} class="glyph" aria-hidden="true" />}
    >
      {rounds > 0 && (
        <p class="muted small">{t('review.round', { round: rounds, limit: Number(data.maxRounds ?? 0) })}</p>
      )}
      {edited === undefined ? (
        <Payload value={content} />
      ) : (
        <AreaField
          label={t('review.edited')}
          value={edited}
          onValue={(text) => {
            setEdited(text);
            setProblem(undefined);
          }}
          problem={problem}
          class={asText ? undefined : 'mono'}
          testid="review-content"
        />
      )}
      <AreaField label={t('review.comment')} value={comment} onValue={setComment} testid="review-comment" />
      <div class="row" ref={buttons} data-inert={guard.inert ? '' : undefined}>
        <Button small kind="primary" inert={guard.inert} data-testid="review-accept" onClick={accept}>
          {t(edited === undefined ? 'review.accept' : 'review.acceptEdited')}
        </Button>
        <Button
          small
          data-testid="review-edit"
          aria-pressed={edited !== undefined}
          onClick={() =>
            setEdited(edited === undefined ? (asText ? content : JSON.stringify(content, null, 2)) : undefined)
          }
        >
          {t(edited === undefined ? 'review.edit' : 'review.discard')}
        </Button>
        {data.revisable === true && edited === undefined && (
          <Button
            small
            data-testid="review-changes"
            inert={guard.inert || comment.trim() === ''}
            onClick={() => send('request_changes')}
          >
            {t('review.changes')}
          </Button>
        )}
        <Button small kind="danger" inert={guard.inert} data-testid="review-reject" onClick={() => send('reject')}>
          {t('review.reject')}
        </Button>
      </div>
      {data.revisable === true && edited === undefined && comment.trim() === '' && (
        <p class="muted small">{t('review.changesNeed')}</p>
      )}
    </Frame>
  );
}
