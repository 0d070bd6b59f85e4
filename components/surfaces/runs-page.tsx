import { History as HistoryIcon } from 'lucide-preact';
import { useState } from 'preact/hooks';
import type { SurfaceState } from '../../src/app/protocol.ts';
import type { RunStatus } from '../../src/model/run.ts';
import { Empty } from '../kit/feedback.tsx';
import { SelectField } from '../kit/field.tsx';
import { t } from '../kit/i18n.tsx';
import { OutboxList } from '../run/outbox-list.tsx';
import { HistoryRow, LiveRow } from '../run/run-row.tsx';
import { RunView } from '../run/run-view.tsx';
import { go } from './route.ts';

const ENDED: readonly RunStatus[] = ['completed', 'partial', 'failed', 'cancelled'];

/** All runs that are known here: live ones, then those that ended. */
export function RunsPage({ state }: { state: SurfaceState }) {
  const [status, setStatus] = useState('');
  const shown = state.history.filter((run) => status === '' || run.status === status);
  return (
    <div class="page">
      <h2 class="page-title">{t('nav.runs')}</h2>
      <OutboxList />
      {state.live.length > 0 && (
        <section class="stack-s" aria-label={t('run.live')}>
          <h3>{t('run.live')}</h3>
          <ul class="card list">
            {state.live.map((run) => (
              <LiveRow key={run.runId} run={run} onOpen={() => go('runs', run.runId)} />
            ))}
          </ul>
        </section>
      )}
      <section class="stack-s" aria-label={t('run.finished')}>
        <div class="section-title">
          <h3>{t('run.finished')}</h3>
          {state.history.length > 0 && (
            <SelectField
              label={t('run.filter')}
              hideLabel
              value={status}
              onValue={setStatus}
              testid="run-filter"
              options={[
                { value: '', label: t('run.filterAll') },
                ...ENDED.map((each) => ({ value: each, label: t(`status.${each}`) })),
              ]}
            />
          )}
        </div>
        {state.history.length === 0 && (
          <Empty
            icon={<HistoryIcon size={28} aria-hidden="true" />}
            title={t('run.noHistory')}
            next={t('run.noHistoryNext')}
          />
        )}
        {state.history.length > 0 && shown.length === 0 && <p class="muted">{t('run.filterNone')}</p>}
        {shown.length > 0 && (
          <ul class="card list">
            {shown.map((run) => (
              <HistoryRow key={run.runId} run={run} onOpen={() => go('runs', run.runId)} />
            ))}
          </ul>
        )}
      </section>
    </div>
  );
}

/** One run on the whole page. */
export function RunPage({ runId }: { runId: string }) {
  return (
    <div class="page">
      <p>
        <a href="#/runs">{t('nav.runs')}</a>
      </p>
      <RunView runId={runId} full />
    </div>
  );
}
