import { CircleAlert, Hash, PencilLine, UserRound } from 'lucide-preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { isObject } from '../../src/model/json.ts';
import type { ApprovalRow } from '../../src/model/run.ts';
import { shortHash } from '../../src/view/run-words.ts';
import { Button } from '../kit/button.tsx';
import { useClock } from '../kit/clock.ts';
import { Rich, t, translator } from '../kit/i18n.tsx';
import { outcomeWords } from '../state.ts';
import { Acts } from './acts.tsx';
import { Decision } from './decision.tsx';
import type { EditMode as EditModeComponent } from './edit-mode.tsx';
import { Payload } from './payload.tsx';
import { Risk } from './risk.tsx';

/** Identity of a card over edits and replacements: the run's step that asks. */
export const cardKey = (row: ApprovalRow) => `${row.runId}/${row.path}`;

/**
 * What a person is asked, in full: who asks, what it is about, exactly which acts follow, the risk, and until when. Nothing in it is
 * rendered as markup. A change of its hash while it is open is said, and makes the buttons inert for a moment.
 */
export function ApprovalCard({ row }: { row: ApprovalRow }) {
  const [editing, setEditing] = useState(false);
  const [changed, setChanged] = useState(false);
  const ownEdit = useRef(false);
  const seenHash = useRef(row.hash);
  const headingId = useId();
  const expired = useClock() >= row.expiresAt;
  const outcome = outcomeWords(row);

  useEffect(() => {
    if (seenHash.current === row.hash) return;
    seenHash.current = row.hash;
    setChanged(!ownEdit.current);
    if (!ownEdit.current) setEditing(false);
    ownEdit.current = false;
  }, [row.hash]);

  const editable = row.editable !== undefined && isObject(row.show) && !expired && outcome === undefined;
  const EditMode = useEditMode(editable);

  return (
    <article
      class="card approval"
      data-testid="approval-card"
      data-hash={row.hash}
      data-path={row.path}
      data-run={row.runId}
      aria-labelledby={headingId}
    >
      <header class="stack-s">
        <p class="muted small" data-testid="who-asks">
          <Rich
            k="approval.from"
            with={{
              workflow: (
                <b class="ink" dir="auto">
                  {row.workflowName}
                </b>
              ),
            }}
          />
          {' · '}
          <span title={row.revision}>{t('approval.revision', { revision: shortHash(row.revision) })}</span>
          {' · '}
          <span title={row.runId}>{t('approval.run', { run: shortHash(row.runId) })}</span>
          {' · '}
          <span dir="auto">{t('approval.step', { step: row.path })}</span>
        </p>
        <h2 class="approval-title" id={headingId} dir="auto">
          {row.title}
        </h2>
        {row.message !== '' && (
          <p class="prose" dir="auto">
            {row.message}
          </p>
        )}
      </header>

      {row.replaces && (
        <p class="note" dir="auto">
          {t('approval.replaced', { reason: row.replaces.reason })}
        </p>
      )}
      {changed && (
        <p class="note" role="status" data-testid="approval-changed">
          {t('approval.changed')}
        </p>
      )}

      {row.show !== undefined && !editing && (
        <div class="stack-s">
          <div class="section-title">
            <h3>{t('approval.whatIsShown')}</h3>
            {editable && (
              <Button
                small
                kind="quiet"
                data-testid="edit"
                icon={<PencilLine size={14} aria-hidden="true" />}
                onClick={() => setEditing(true)}
              >
                {t('approval.edit')}
              </Button>
            )}
          </div>
          <Payload value={row.show} />
        </div>
      )}
      {EditMode && row.editable && isObject(row.show) && !expired && (
        <EditMode
          row={row}
          show={row.show}
          schema={row.editable}
          open={editing}
          onOpen={setEditing}
          onSaving={() => {
            ownEdit.current = true;
          }}
          onRefused={() => {
            ownEdit.current = false;
          }}
        />
      )}

      <Acts acts={row.covers} />

      <p class="row small muted facts">
        <span class="row-tight">
          <UserRound size={14} aria-hidden="true" />
          {t('approval.role', { role: row.requiredRole })}
        </span>
        <span
          class="row-tight mono"
          data-testid="approval-hash"
          data-hash={row.hash}
          title={t('approval.hashTitle', { hash: row.hash })}
        >
          <Hash size={14} aria-hidden="true" />
          {shortHash(row.hash)}
        </span>
        <Expiry at={row.expiresAt} />
      </p>

      {(outcome !== undefined || expired) && <Risk risk={row.risk} />}
      {outcome !== undefined ? (
        <p class="note note-info" role="status" data-testid="approval-outcome">
          {outcome}
        </p>
      ) : expired ? (
        <div class="error-box" role="status" data-testid="approval-expired">
          <CircleAlert size={18} class="glyph" aria-hidden="true" />
          <p>{t('approval.expiredBody')}</p>
        </div>
      ) : (
        <Decision row={row} blocked={editing} />
      )}
    </article>
  );
}

/** The editor, loaded with the first card that can be edited: the popup opens faster without it. */
function useEditMode(wanted: boolean): typeof EditModeComponent | undefined {
  const [component, setComponent] = useState<typeof EditModeComponent>();
  useEffect(() => {
    let current = true;
    if (wanted) void import('./edit-mode.tsx').then(({ EditMode }) => current && setComponent(() => EditMode));
    return () => {
      current = false;
    };
  }, [wanted]);
  return component;
}

function Expiry({ at }: { at: number }) {
  const now = useClock();
  const tr = translator.value;
  const words = { relative: tr.relative(at, now), absolute: tr.date(at) };
  return (
    <time dateTime={new Date(at).toISOString()} data-testid="expiry">
      {now < at ? t('approval.expires', words) : t('approval.expired', words)}
    </time>
  );
}
