import { useEffect, useState } from 'preact/hooks';
import type { MonthSpending, Spending, Sum } from '../../src/app/protocol.ts';
import { usageWords } from '../../src/view/run-words.ts';
import { ask } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { ErrorBox, errorWords, Skeleton } from '../kit/feedback.tsx';
import { TextField } from '../kit/field.tsx';
import { t, translator } from '../kit/i18n.tsx';
import { notify } from '../kit/toast.tsx';
import { refresh, state } from '../state.ts';

/** Earlier months that are shown. */
const MONTHS = 12;
/** Workflows of a month that are named. */
const NAMED = 10;

/** What models have cost, by month and workflow, and what they may cost in a month. */
export function SpendingSection() {
  const [spending, setSpending] = useState<Spending>();
  const [error, setError] = useState<unknown>();
  const [tries, setTries] = useState(0);
  const known = state.value;
  // Asked again with every new state: a run may have spent something.
  useEffect(() => {
    let current = true;
    ask('spending.get', {}).then(
      (answer) => {
        if (!current) return;
        setSpending(answer);
        setError(undefined);
      },
      (reason: unknown) => current && setError(reason),
    );
    return () => {
      current = false;
    };
  }, [known, tries]);

  const [now, ...before] = spending?.months ?? [];
  return (
    <section class="settings-section" data-testid="spending">
      <h3>{t('spending.heading')}</h3>
      <p class="muted">{t('spending.lead')}</p>
      {error !== undefined && <ErrorBox error={error} onRetry={() => setTries(tries + 1)} />}
      {!spending && error === undefined && <Skeleton lines={2} />}
      {spending && <Limit key={`${spending.usd} ${spending.raised}`} spending={spending} onSaved={setSpending} />}
      {now && <Month month={now} />}
      {before.length > 0 && (
        <details>
          <summary>{t('spending.earlier')}</summary>
          <div class="stack">
            {before.slice(0, MONTHS).map((month) => (
              <Month key={month.month} month={month} />
            ))}
          </div>
        </details>
      )}
    </section>
  );
}

function Limit({ spending, onSaved }: { spending: Spending; onSaved: (spending: Spending) => void }) {
  const { usd, raised, month } = spending;
  const [draft, setDraft] = useState(usd === undefined ? '' : String(usd));
  const [busy, setBusy] = useState(false);
  const value = draft.trim() === '' ? null : Number(draft.replace(',', '.'));
  const bad = value !== null && !(value > 0 && value <= 1_000_000);
  const save = async () => {
    if (bad) return;
    setBusy(true);
    try {
      onSaved(await ask('spending.set', { usd: value }));
      notify(t('common.saved'));
      void refresh();
    } catch (reason) {
      notify(errorWords(reason).text);
    }
    setBusy(false);
  };
  return (
    <form
      class="stack-s"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <TextField
        label={t('spending.limit')}
        help={t('spending.limitHelp')}
        value={draft}
        onValue={setDraft}
        problem={bad ? t('spending.limitBad') : undefined}
        testid="month-limit"
      />
      {raised !== undefined && (
        <p class="small">{t('spending.raised', { month: monthWords(month), limit: translator.value.money(raised) })}</p>
      )}
      <div>
        <Button
          type="submit"
          inert={bad || value === (usd ?? null)}
          busy={busy}
          data-testid="save-month-limit"
          onClick={() => undefined}
        >
          {t('spending.save')}
        </Button>
      </div>
    </form>
  );
}

function Month({ month: { month, workflows, ...sum } }: { month: MonthSpending }) {
  const more = workflows.slice(NAMED);
  return (
    <div class="stack-s" data-testid="month" data-month={month}>
      <h4>{monthWords(month)}</h4>
      <p>
        <b>{usageWords(sum.usage, translator.value)}</b> · {t('spending.calls', { n: sum.calls })}
      </p>
      <Unpriced sum={sum} />
      {workflows.length > 0 && (
        <ul class="card list">
          {workflows.slice(0, NAMED).map((one) => (
            <li class="list-row" key={one.workflowId}>
              <span class="grow" dir="auto">
                {one.name}
              </span>
              <span class="small muted">{usageWords(one.usage, translator.value)}</span>
            </li>
          ))}
          {more.length > 0 && <li class="list-row muted small">{t('spending.more', { n: more.length })}</li>}
        </ul>
      )}
    </div>
  );
}

function Unpriced({ sum: { unpriced } }: { sum: Sum }) {
  return unpriced === 0 ? null : <p class="small">{t('spending.unpriced', { n: unpriced })}</p>;
}

/** A month in the words of the language. */
function monthWords(month: string): string {
  const [year = 1970, number = 1] = month.split('-').map(Number);
  return new Intl.DateTimeFormat(translator.value.locale, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    Date.UTC(year, number - 1, 1),
  );
}
