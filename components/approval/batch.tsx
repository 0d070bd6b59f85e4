import { Check, ListChecks } from 'lucide-preact';
import type { RefObject } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { CommandResult } from '../../src/model/commands.ts';
import type { ApprovalRow } from '../../src/model/run.ts';
import { refusalWords, shortHash } from '../../src/view/run-words.ts';
import { decideAll } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { ErrorBox } from '../kit/feedback.tsx';
import { CheckField } from '../kit/field.tsx';
import { t, translator } from '../kit/i18n.tsx';
import { notify } from '../kit/toast.tsx';
import { markDecided, refresh } from '../state.ts';
import { Acts } from './acts.tsx';
import { useGuard } from './guard.ts';
import { Payload } from './payload.tsx';
import { Risk } from './risk.tsx';
import { groupOf, membersOf, openedByHand } from './together.ts';

/** Offers to look at the approvals of a step together, where there are several. */
export function TogetherButton({
  row,
  approvals,
  onOpen,
}: {
  row: ApprovalRow;
  approvals: readonly ApprovalRow[];
  onOpen: (group: string) => void;
}) {
  const n = membersOf(groupOf(row), approvals).length;
  if (n < 2) return null;
  return (
    <div>
      <Button
        small
        data-testid="together"
        icon={<ListChecks size={14} aria-hidden="true" />}
        onClick={() => onOpen(groupOf(row))}
      >
        {t('batch.open', { n })}
      </Button>
    </div>
  );
}

/**
 * Several approvals of one step, each with all that it shows. They are approved by one click, each under its own hash, once every one that
 * is included has been read to its end. What comes later is not in it. Leaving decides nothing.
 */
export function BatchCard({ rows, onClose }: { rows: readonly ApprovalRow[]; onClose: () => void }) {
  const area = useRef<HTMLFieldSetElement>(null);
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set());
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [sending, setSending] = useState(false);
  const [refused, setRefused] = useState<{ row: ApprovalRow; text: string; code: string }[]>([]);
  const headingId = useId();
  const included = rows.filter((row) => !left.has(row.path));
  const guard = useGuard(area, included.map(({ hash }) => hash).join());
  const unseen = included.filter(({ hash }) => !seen.has(hash)).length;
  const [first] = rows;

  // Decided or withdrawn elsewhere: nothing is left to look at.
  const done = rows.length === 0 && refused.length === 0 && !sending;
  useEffect(() => {
    if (done) onClose();
  }, [done]);

  const approve = async () => {
    if (sending || unseen > 0 || included.length === 0 || !guard.check()) return;
    setSending(true);
    const results = await decideAll('approved', included);
    setSending(false);
    const failed: typeof refused = [];
    results.forEach((result: CommandResult, i) => {
      const row = included[i] as ApprovalRow;
      if (result.ok) markDecided(row.approvalId);
      else failed.push({ row, text: refusalWords(result, translator.value), code: result.code });
    });
    setRefused(failed);
    notify(t('batch.approved', { n: results.length - failed.length }));
    await refresh();
    if (failed.length === 0 && left.size === 0) onClose();
  };

  const off = unseen > 0 || included.length === 0 || guard.inert;
  return (
    <article class="card approval" data-testid="batch-card" aria-labelledby={headingId}>
      <header class="stack-s">
        <p class="muted small" dir="auto">
          {first && `${first.workflowName} · ${t('approval.step', { step: first.gate })}`}
        </p>
        <h2 class="approval-title" id={headingId}>
          {t('batch.heading', { n: rows.length })}
        </h2>
        <p class="small">{t('batch.lead')}</p>
        <div>
          <Button small kind="quiet" data-testid="one-by-one" onClick={onClose}>
            {t('batch.oneByOne')}
          </Button>
        </div>
      </header>
      {refused.map(({ row, text, code }) => (
        <ErrorBox key={row.hash} text={t('batch.notApproved', { title: row.title, reason: text })} code={code} />
      ))}
      <ol class="batch">
        {rows.map((row) => (
          <Item
            key={row.path}
            row={row}
            below={area}
            seen={seen.has(row.hash)}
            onSeen={() => setSeen((known) => new Set(known).add(row.hash))}
            included={!left.has(row.path)}
            onIncluded={(yes) =>
              setLeft((known) => {
                const next = new Set(known);
                if (yes) next.delete(row.path);
                else next.add(row.path);
                return next;
              })
            }
          />
        ))}
      </ol>
      <fieldset class="decision decision-open" ref={area} data-testid="decision" data-inert={off ? 'true' : undefined}>
        <legend class="visually-hidden">{t('approval.decision')}</legend>
        {first && <Risk risk={first.risk} acts={included.reduce((sum, row) => sum + row.covers.length, 0)} />}
        <p class="small" role="status" data-testid="batch-progress">
          {unseen > 0
            ? t('batch.lookFirst', { seen: included.length - unseen, n: included.length })
            : t('batch.allSeen', { n: included.length })}
        </p>
        <Button
          class="decide"
          kind="primary"
          data-testid="approve-these"
          inert={off}
          busy={sending}
          icon={<Check size={16} aria-hidden="true" />}
          onClick={() => void approve()}
        >
          {sending ? t('approval.approving') : t('batch.approve', { n: included.length })}
        </Button>
      </fieldset>
    </article>
  );
}

/** One of them. It counts as looked at when its end has been in sight; a severe one must be opened by hand before. */
function Item({
  row,
  below,
  seen,
  onSeen,
  included,
  onIncluded,
}: {
  row: ApprovalRow;
  /** The decision, which sticks to the lower edge and covers what lies below its own. */
  below: RefObject<HTMLElement | null>;
  seen: boolean;
  onSeen: () => void;
  included: boolean;
  onIncluded: (yes: boolean) => void;
}) {
  const [open, setOpen] = useState(!openedByHand(row));
  const end = useRef<HTMLSpanElement>(null);

  useEffect(() => {
    const mark = end.current;
    if (!open || seen || !mark) return;
    const covered = innerHeight - (below.current?.getBoundingClientRect().top ?? innerHeight);
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) onSeen();
      },
      { rootMargin: `0px 0px -${Math.max(0, Math.round(covered))}px 0px` },
    );
    observer.observe(mark);
    return () => observer.disconnect();
  }, [open, seen, row.hash]);

  return (
    <li class="batch-item" data-testid="batch-item" data-hash={row.hash} data-seen={seen ? 'true' : undefined}>
      <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <b dir="auto">{row.title}</b>{' '}
          <span class="muted small nowrap">
            <span class="mono">{shortHash(row.hash)}</span> · {seen ? t('batch.seen') : t('batch.unseen')}
          </span>
        </summary>
        <div class="stack-s">
          {row.message !== '' && (
            <p class="prose" dir="auto">
              {row.message}
            </p>
          )}
          {row.show !== undefined && <Payload value={row.show} />}
          <Acts acts={row.covers} />
          <span class="batch-end" ref={end} />
        </div>
      </details>
      <CheckField
        label={t('batch.include', { title: row.title })}
        checked={included}
        onValue={onIncluded}
        testid="include"
      />
    </li>
  );
}
