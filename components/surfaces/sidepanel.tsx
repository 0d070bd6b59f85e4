import { History as HistoryIcon, Pin, PinOff, Workflow } from 'lucide-preact';
import { useEffect, useState } from 'preact/hooks';
import type { SurfaceState } from '../../src/app/protocol.ts';
import type { RunRow } from '../../src/model/run.ts';
import { inspect } from '../../src/view/messages/en/inspect.ts';
import { addEnglish } from '../../src/view/messages/pages.ts';
import { Button } from '../kit/button.tsx';
import { Empty } from '../kit/feedback.tsx';
import { SelectField } from '../kit/field.tsx';
import { t } from '../kit/i18n.tsx';
import { Tabs } from '../kit/tabs.tsx';
import { onTabActivated, openApp } from '../platform.ts';
import { HistoryRow } from '../run/run-row.tsx';
import { OpenFull, RunView } from '../run/run-view.tsx';
import { activeTab, refresh } from '../state.ts';
import { forThisPage, StartList } from '../workflows/start-list.tsx';
import { TriggerNotes } from '../workflows/trigger-notes.tsx';
import { ApprovalsList } from './approvals-list.tsx';
import { Shell } from './shell.tsx';

// Texts that the popup does without.
addEnglish(inspect);

type Section = 'approvals' | 'live' | 'history';

/** The side panel: what waits, what runs, what has ended. */
export function SidePanel() {
  const [section, setSection] = useState<Section>('approvals');
  const [pinned, setPinned] = useState<string>();

  useEffect(
    () =>
      onTabActivated((tabId) => {
        activeTab.value = tabId;
        void refresh();
      }),
    [],
  );

  return (
    <Shell name="panel">
      {(state) => {
        const waiting = state.approvals.length + state.waiting.length;
        const offered = forThisPage(state).filter(({ workflowId }) =>
          state.offers?.some((offer) => offer.workflowId === workflowId),
        );
        return (
          <>
            {offered.length > 0 && (
              <StartList workflows={offered} label={t('workflows.onThisPage')} onThisTab offers={state.offers} />
            )}
            <TriggerNotes
              notes={state.triggerNotes}
              onOpen={(workflowId) => void openApp(`#/workflows/${encodeURIComponent(workflowId)}`)}
            />
            <Tabs
              label={t('tabs.surface')}
              active={section}
              onChange={setSection}
              tabs={[
                {
                  key: 'approvals',
                  label: waiting > 0 ? t('tabs.approvalsCount', { n: waiting }) : t('tabs.approvals'),
                  content: () => <ApprovalsList state={state} />,
                },
                {
                  key: 'live',
                  label: t('tabs.live'),
                  content: () => <Live state={state} pinned={pinned} onPin={setPinned} />,
                },
                { key: 'history', label: t('tabs.history'), content: () => <History runs={state.history} /> },
              ]}
            />
          </>
        );
      }}
    </Shell>
  );
}

/** The live run to show: the pinned one, else the active tab's, else the newest. */
export function followed(
  live: readonly RunRow[],
  pinned: string | undefined,
  tabId: number | undefined,
): RunRow | undefined {
  const ofTab = live.find(
    (run) =>
      tabId !== undefined && run.tabs?.list.some((tab) => tab.browserTabId === tabId && tab.closed === undefined),
  );
  return live.find((run) => run.runId === pinned) ?? ofTab ?? live[0];
}

function Live({
  state,
  pinned,
  onPin,
}: {
  state: SurfaceState;
  pinned: string | undefined;
  onPin: (runId: string | undefined) => void;
}) {
  const run = followed(state.live, pinned, activeTab.value);
  // A pinned run stays in view when it ends, until it is unpinned.
  const runId = pinned ?? run?.runId;
  if (runId === undefined)
    return (
      <Empty icon={<Workflow size={28} aria-hidden="true" />} title={t('run.noLive')} next={t('run.noLiveNext')} />
    );
  return (
    <div class="stack">
      <div class="follow">
        {state.live.length > 1 && (
          <div class="grow">
            <SelectField
              label={t('live.follow')}
              hideLabel
              testid="follow"
              value={pinned ?? ''}
              onValue={(value) => onPin(value === '' ? undefined : value)}
              options={[
                { value: '', label: t('live.followNewest') },
                ...state.live.map((each) => ({ value: each.runId, label: each.workflowName })),
              ]}
            />
          </div>
        )}
        <Button
          small
          data-testid="pin"
          aria-pressed={pinned !== undefined}
          icon={pinned === undefined ? <Pin size={14} aria-hidden="true" /> : <PinOff size={14} aria-hidden="true" />}
          onClick={() => onPin(pinned === undefined ? runId : undefined)}
        >
          {pinned === undefined ? t('live.pin') : t('live.unpin')}
        </Button>
      </div>
      <RunView runId={runId} actions={<OpenFull onOpen={() => void openApp(`#/runs/${runId}`)} />} />
    </div>
  );
}

function History({ runs }: { runs: readonly RunRow[] }) {
  const [open, setOpen] = useState<string>();
  if (open !== undefined) {
    return (
      <div class="stack">
        <div>
          <Button small data-testid="back" onClick={() => setOpen(undefined)}>
            {t('common.back')}
          </Button>
        </div>
        <RunView runId={open} actions={<OpenFull onOpen={() => void openApp(`#/runs/${open}`)} />} />
      </div>
    );
  }
  if (runs.length === 0)
    return (
      <Empty
        icon={<HistoryIcon size={28} aria-hidden="true" />}
        title={t('run.noHistory')}
        next={t('run.noHistoryNext')}
      />
    );
  return (
    <ul class="card list">
      {runs.map((run) => (
        <HistoryRow key={run.runId} run={run} onOpen={() => setOpen(run.runId)} />
      ))}
    </ul>
  );
}
