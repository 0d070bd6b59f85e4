import { useEffect, useState } from 'preact/hooks';
import type { OutboxEntry } from '../../src/model/outbox.ts';
import { ask } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { ErrorBox, errorWords } from '../kit/feedback.tsx';
import { t } from '../kit/i18n.tsx';
import { RelativeTime } from '../kit/time.tsx';
import { notify } from '../kit/toast.tsx';
import { state } from '../state.ts';
import { go } from '../surfaces/route.ts';

/** What runs have told the person, newest first; nothing where there is nothing. */
export function OutboxList() {
  const [entries, setEntries] = useState<OutboxEntry[]>([]);
  const [error, setError] = useState<unknown>();
  const show = (answer: { entries: OutboxEntry[] }) => {
    setError(undefined);
    setEntries(answer.entries);
  };
  useEffect(() => void ask('outbox.list', {}).then(show, setError), [state.value]);
  const dismiss = (entry: OutboxEntry) =>
    void ask('outbox.dismiss', { outboxId: entry.outboxId }).then(show, (reason) => notify(errorWords(reason).text));
  if (error !== undefined) return <ErrorBox error={error} />;
  if (entries.length === 0) return null;
  return (
    <section class="stack-s" aria-label={t('outbox.heading')} data-testid="outbox">
      <h3>{t('outbox.heading')}</h3>
      <ul class="card list">
        {entries.map((entry) => (
          <Entry key={entry.outboxId} entry={entry} onDismiss={() => dismiss(entry)} />
        ))}
      </ul>
    </section>
  );
}

function Entry({ entry, onDismiss }: { entry: OutboxEntry; onDismiss: () => void }) {
  const { kind, to = '', severity } = entry;
  const title = kind === 'handoff' ? t('outbox.handoff', { to }) : (entry.title ?? '');
  const urgent = severity === 'high' || severity === 'critical';
  return (
    <li class="list-row" data-testid="outbox-entry" data-severity={severity}>
      <span class="grow stack-s">
        <span class="row-tight">
          <b class="grow" dir="auto">
            {title}
          </b>
          <span class={urgent ? 'badge badge-warn' : 'badge'}>{t(`outbox.${severity}`)}</span>
        </span>
        {entry.message !== '' && (
          <span class="prose" dir="auto">
            {entry.message}
          </span>
        )}
        <span class="muted small">
          <button type="button" class="link" onClick={() => go('runs', entry.runId)} dir="auto">
            {entry.workflowName}
          </button>
          {kind === 'notification' && to !== '' && <span dir="auto"> · {t('outbox.for', { to })}</span>} ·{' '}
          <RelativeTime at={entry.createdAt} />
        </span>
      </span>
      <Button small aria-label={t('outbox.removeOf', { title })} data-testid="dismiss" onClick={onDismiss}>
        {t('outbox.remove')}
      </Button>
    </li>
  );
}
