import { AppWindow, PanelRight, Settings } from 'lucide-preact';
import { useState } from 'preact/hooks';
import type { SurfaceState } from '../../src/app/protocol.ts';
import type { ApprovalRow } from '../../src/model/run.ts';
import { recentFailures } from '../../src/view/recent-failures.ts';
import { BatchCard, TogetherButton } from '../approval/batch.tsx';
import { ApprovalCard, cardKey } from '../approval/card.tsx';
import { membersOf } from '../approval/together.ts';
import { Button } from '../kit/button.tsx';
import { t } from '../kit/i18n.tsx';
import { notify } from '../kit/toast.tsx';
import { openApp, openSidePanel } from '../platform.ts';
import { FailedRow } from '../run/failed-row.tsx';
import { LiveRow } from '../run/run-row.tsx';
import { Waits } from '../run/waits.tsx';
import { DraftList } from '../workflows/draft-list.tsx';
import { forThisPage, recentFirst, StartList } from '../workflows/start-list.tsx';
import { TriggerNotes } from '../workflows/trigger-notes.tsx';
import { DIAGNOSTICS, Shell } from './shell.tsx';

/** Opens the app and closes the popup, as a click elsewhere would. */
function toApp(route: string): void {
  void openApp(route).then(() => close());
}

/** The popup: the decision that waits, what runs, what can be started. Keeps nothing of its own. */
export function Popup() {
  return (
    <Shell name="popup" footer={<Footer />} onDiagnose={() => toApp(DIAGNOSTICS)}>
      {(state) => (
        <>
          <Approvals approvals={state.approvals} />
          <Waits waiting={state.waiting} />
          <Live state={state} />
          <Failed state={state} />
          <TriggerNotes
            notes={state.triggerNotes}
            onOpen={(workflowId) => toApp(`#/workflows/${encodeURIComponent(workflowId)}`)}
          />
          <Start state={state} />
          <DraftList
            workflows={state.workflows}
            onOpen={(workflowId) => toApp(`#/workflows/${encodeURIComponent(workflowId)}`)}
          />
        </>
      )}
    </Shell>
  );
}

function Approvals({ approvals }: { approvals: readonly ApprovalRow[] }) {
  const [chosen, setChosen] = useState<string>();
  const [together, setTogether] = useState<string>();
  if (together !== undefined)
    return (
      <section class="stack-s" aria-label={t('approval.heading')}>
        <BatchCard rows={membersOf(together, approvals)} onClose={() => setTogether(undefined)} />
      </section>
    );
  const shown = approvals.find((row) => cardKey(row) === chosen) ?? approvals[0];
  if (!shown) return null;
  const others = approvals.filter((row) => row !== shown);
  return (
    <section class="stack-s" aria-label={t('approval.heading')}>
      <TogetherButton row={shown} approvals={approvals} onOpen={setTogether} />
      <ApprovalCard row={shown} key={cardKey(shown)} />
      {others.length > 0 && (
        <details class="card more" data-testid="more-approvals">
          <summary>{t('approvals.more', { n: others.length })}</summary>
          <ul>
            {others.map((row) => (
              <li key={cardKey(row)}>
                <button type="button" class="link" data-testid="other-approval" onClick={() => setChosen(cardKey(row))}>
                  <span class="visually-hidden">{t('approvals.review', { title: row.title })}</span>
                  <span aria-hidden="true" dir="auto">
                    {row.title}
                  </span>
                </button>
                <span class="muted small truncate" dir="auto">
                  {row.workflowName}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function Live({ state }: { state: SurfaceState }) {
  if (state.live.length === 0) return null;
  return (
    <section class="stack-s" aria-label={t('run.live')}>
      <h2>{t('run.live')}</h2>
      <ul class="card list">
        {state.live.map((run) => (
          <LiveRow key={run.runId} run={run} onOpen={() => toApp(`#/runs/${run.runId}`)} />
        ))}
      </ul>
    </section>
  );
}

function Failed({ state }: { state: SurfaceState }) {
  const runs = recentFailures(state);
  if (runs.length === 0) return null;
  return (
    <section class="stack-s" aria-label={t('run.failedLately')}>
      <h2>{t('run.failedLately')}</h2>
      <ul class="card list">
        {runs.map((run) => (
          <FailedRow key={run.runId} run={run} onOpen={() => toApp(`#/runs/${run.runId}`)} />
        ))}
      </ul>
    </section>
  );
}

function Start({ state }: { state: SurfaceState }) {
  const all = recentFirst(state.workflows);
  const here = forThisPage(state);
  return (
    <>
      {here.length > 0 && (
        <StartList workflows={here} label={t('workflows.onThisPage')} onThisTab offers={state.offers} />
      )}
      <StartList workflows={all} label={t('workflows.all')} search hasAny={state.workflows.length > 0} />
    </>
  );
}

function Footer() {
  const panel = async () => {
    // Without a side panel (or without a gesture the browser accepts) the app shows the same.
    if (await openSidePanel()) close();
    else toApp('#/approvals');
  };
  return (
    <footer class="surface-foot">
      <Button
        small
        kind="quiet"
        data-testid="open-panel"
        icon={<PanelRight size={16} aria-hidden="true" />}
        onClick={() => void panel().catch(() => notify(t('common.error')))}
      >
        {t('nav.openPanel')}
      </Button>
      <Button
        small
        kind="quiet"
        data-testid="open-app"
        icon={<AppWindow size={16} aria-hidden="true" />}
        onClick={() => toApp('#/workflows')}
      >
        {t('nav.openApp')}
      </Button>
      <Button
        small
        kind="quiet"
        data-testid="open-settings"
        icon={<Settings size={16} aria-hidden="true" />}
        onClick={() => toApp('#/settings')}
      >
        {t('nav.settings')}
      </Button>
    </footer>
  );
}
