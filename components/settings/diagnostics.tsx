import { CircleCheck, CircleX, ClipboardCopy, Plug, RotateCw, TriangleAlert } from 'lucide-preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Check, type CheckState, labelOf } from '../../src/view/doctor/check.ts';
import { type ConnectionFacts, type DoctorFacts, judge, judgeSilence } from '../../src/view/doctor/judge.ts';
import { checkLine, reportText } from '../../src/view/doctor/report.ts';
import type { MessageKey } from '../../src/view/messages/index.ts';
import { pageTranslator } from '../../src/view/messages/pages.ts';
import { ask } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { errorWords, Skeleton } from '../kit/feedback.tsx';
import { t, translator } from '../kit/i18n.tsx';
import { announce, notify } from '../kit/toast.tsx';
import { browserLanguage } from '../platform.ts';

/** The background bounds each of its looks; one that takes longer than all of them does not answer at all. Milliseconds. */
const PATIENCE = 30_000;

const LOOKS = {
  ok: { Glyph: CircleCheck, colour: 'status-completed' },
  warn: { Glyph: TriangleAlert, colour: 'status-partial' },
  fail: { Glyph: CircleX, colour: 'status-failed' },
} as const satisfies Record<CheckState, unknown>;

/** Where a person does what a line says. */
const PLACES: Readonly<Record<string, 'settings' | 'workflows' | 'runs' | 'approvals'>> = {
  secrets: 'settings',
  model: 'settings',
  connection: 'settings',
  sites: 'workflows',
  journals: 'runs',
  stuck: 'runs',
};

type Seen = { facts: DoctorFacts } | 'silent';

/** What Tabloom finds when it looks at itself: one line each, with what to do. Works also when the background cannot start. */
export function DiagnosticsPage() {
  const [seen, setSeen] = useState<Seen>();
  const [connection, setConnection] = useState<ConnectionFacts>();
  const [busy, setBusy] = useState<'look' | 'test'>();
  const turn = useRef(0);

  const look = async () => {
    const mine = ++turn.current;
    setBusy('look');
    const found = await lookWithin(PATIENCE);
    if (mine !== turn.current) return;
    setSeen(found);
    setConnection(undefined);
    setBusy(undefined);
    announce(summaryOf(checksOf(found)));
  };
  useEffect(() => {
    void look();
    return () => {
      turn.current += 1;
    };
  }, []);

  const test = async () => {
    setBusy('test');
    const result = await testModel(seen === 'silent' ? undefined : seen?.facts);
    setConnection(result);
    setBusy(undefined);
  };
  const copy = async () => {
    if (!seen) return;
    try {
      await navigator.clipboard.writeText(reportOf(seen, connection));
      notify(t('doctor.copied'));
    } catch {
      notify(t('doctor.copyFailed'));
    }
  };

  const checks = seen && checksOf(seen, connection);
  const testable = seen && seen !== 'silent' && seen.facts.models?.ok && seen.facts.models.value.accounts.length > 0;
  return (
    <div class="page" data-testid="diagnostics" data-busy={busy}>
      <h2 class="page-title">{t('doctor.heading')}</h2>
      <p class="muted">{t('doctor.lead')}</p>
      <div class="row">
        <Button
          kind="primary"
          busy={busy === 'look'}
          inert={busy !== undefined}
          data-testid="look-again"
          icon={<RotateCw size={16} aria-hidden="true" />}
          onClick={() => void look()}
        >
          {busy === 'look' ? t('doctor.checking') : t('doctor.again')}
        </Button>
        {testable && (
          <Button
            busy={busy === 'test'}
            inert={busy !== undefined}
            data-testid="test-connection"
            icon={<Plug size={16} aria-hidden="true" />}
            onClick={() => void test()}
          >
            {busy === 'test' ? t('doctor.testing') : t('doctor.testModel')}
          </Button>
        )}
        {seen && (
          <Button
            data-testid="copy-report"
            icon={<ClipboardCopy size={16} aria-hidden="true" />}
            onClick={() => void copy()}
          >
            {t('doctor.copy')}
          </Button>
        )}
      </div>
      {!checks && <Skeleton lines={8} />}
      {checks && (
        <>
          <p data-testid="summary">
            <b>{summaryOf(checks)}</b>{' '}
            {seen && seen !== 'silent' && (
              <span class="muted">{t('doctor.checkedAt', { when: translator.value.date(seen.facts.now) })}</span>
            )}
          </p>
          <ul class="card list" aria-label={t('doctor.list')}>
            {checks.map((check) => (
              <Line key={check.id} check={check} />
            ))}
          </ul>
          <p class="muted small">{t('doctor.copyHelp')}</p>
        </>
      )}
    </div>
  );
}

function Line({ check: { id, state, message, todo } }: { check: Check }) {
  const { Glyph, colour } = LOOKS[state];
  const place = state === 'ok' ? undefined : PLACES[id];
  return (
    <li class="list-row check" data-testid={`check-${id}`} data-state={state}>
      <span class={`status check-state ${colour}`}>
        <Glyph size={16} class="glyph" aria-hidden="true" />
        {t(`doctor.state.${state}`)}
      </span>
      <span class="grow stack-s">
        <b>{labelOf(id, translator.value)}</b>
        <span dir="auto">{message}</span>
        {todo !== undefined && (
          <span class="check-todo">
            <span dir="auto">{todo}</span>{' '}
            {place && <a href={`#/${place}`}>{t(`nav.${place}` satisfies MessageKey)}</a>}
          </span>
        )}
      </span>
    </li>
  );
}

function checksOf(seen: Seen, connection?: ConnectionFacts): Check[] {
  const tr = translator.value;
  return seen === 'silent' ? judgeSilence(tr) : judge(seen.facts, tr, connection);
}

function summaryOf(checks: readonly Check[]): string {
  const count = (state: CheckState) => checks.filter((check) => check.state === state).length;
  if (count('fail') > 0) return t('doctor.someFail', { n: count('fail') });
  return count('warn') > 0 ? t('doctor.someWarn', { n: count('warn') }) : t('doctor.allWell');
}

/** In English: it is read by those who mend the extension. */
function reportOf(seen: Seen, connection: ConnectionFacts | undefined): string {
  const english = pageTranslator('en', browserLanguage());
  if (seen !== 'silent') return reportText(seen.facts, english, connection);
  return judgeSilence(english)
    .map((check) => checkLine(check))
    .join('\n');
}

/** The facts; `silent` when the background does not give them in time. Never rejects. */
async function lookWithin(ms: number): Promise<Seen> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<Seen>((resolve) => {
    timer = setTimeout(() => resolve('silent'), ms);
  });
  const answer = ask('doctor.get', {}).then(
    (facts): Seen => ({ facts }),
    (): Seen => 'silent',
  );
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

/** Asks the default model for one word. Never rejects. */
async function testModel(facts: DoctorFacts | undefined): Promise<ConnectionFacts> {
  const model = (facts?.models?.ok && facts.models.value.default) || t('doctor.label.model');
  const online = navigator.onLine;
  try {
    return { ...(await ask('models.test', {})), model, online };
  } catch (error) {
    return { ok: false, model, online, message: errorWords(error).text, code: errorWords(error).code };
  }
}
