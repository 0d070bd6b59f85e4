import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ErrorInfo } from '../../src/model/errors.ts';
import type { ApprovalRow, Attempt, StepRunRow } from '../../src/model/run.ts';
import { errorText } from '../../src/view/error-text.ts';
import { hasYielded, matchedTarget } from '../../src/view/prompt-parts.ts';
import { elapsedMs, savedWords, usageWords } from '../../src/view/run-words.ts';
import { waitWords } from '../../src/view/wait-words.ts';
import { useClock } from '../kit/clock.ts';
import { WholeMessage } from '../kit/feedback.tsx';
import { t, translator } from '../kit/i18n.tsx';
import { JsonView } from '../kit/json-view.tsx';
import { Status } from '../kit/status.tsx';
import { Tabs } from '../kit/tabs.tsx';
import { outcomeWords } from '../state.ts';
import { Prompts } from './prompts.tsx';

type Part = 'summary' | 'input' | 'output' | 'attempts' | 'prompt';

/** Everything known about one step run, and what can be done from it. */
export function StepPanel({
  row,
  approvals,
  actions,
  prefer,
}: {
  row: StepRunRow;
  approvals: readonly ApprovalRow[];
  actions?: ComponentChildren;
  /** What is offered where a later alternative of a target was found. */
  prefer?: ComponentChildren;
}) {
  const [part, setPart] = useState<Part>('summary');
  return (
    <section
      class="card step-panel"
      data-testid="step-panel"
      data-path={row.path}
      aria-label={t('step.panel', { step: row.name })}
    >
      <h3 class="row-tight">
        <span class="grow truncate" dir="auto">
          {row.name}
        </span>
        <Status status={row.status} />
      </h3>
      {row.reused === true && <p class="muted small">{t('step.reused')}</p>}
      {actions}
      <Tabs
        label={t('step.panel', { step: row.name })}
        active={part}
        onChange={setPart}
        tabs={[
          { key: 'summary', label: t('step.summary'), content: () => <Summary row={row} approvals={approvals} /> },
          {
            key: 'input',
            label: t('step.input'),
            content: () =>
              row.input === undefined ? <Nothing text={t('step.noInput')} /> : <JsonView value={row.input} />,
          },
          {
            key: 'output',
            label: t('step.output'),
            content: () =>
              row.output === undefined ? <Nothing text={t('step.noOutput')} /> : <JsonView value={row.output} />,
          },
          { key: 'attempts', label: t('step.attempts'), content: () => <Attempts row={row} prefer={prefer} /> },
          { key: 'prompt', label: t('step.prompt'), content: () => <Prompts row={row} /> },
        ]}
      />
    </section>
  );
}

const Nothing = ({ text }: { text: string }) => <p class="muted">{text}</p>;

function Summary({ row, approvals }: { row: StepRunRow; approvals: readonly ApprovalRow[] }) {
  const tr = translator.value;
  const now = useClock();
  const took = elapsedMs(row, now);
  const saved = savedWords(row.saved, tr);
  // Newest first: what was asked again stands before what it replaced.
  const outcomes = approvals.filter(({ path }) => path === row.path).flatMap((each) => outcomeWords(each) ?? []);
  const why = waitWords(row, tr, now) ?? row.reason;
  return (
    <div class="stack">
      {row.error && <ErrorFacts error={row.error} />}
      <dl class="pairs">
        {why !== undefined && (
          <>
            <dt>{t('step.reason')}</dt>
            <dd dir="auto">{row.wait?.kind === 'page' ? why : (row.wait?.reason ?? why)}</dd>
          </>
        )}
        {outcomes.length > 0 && (
          <>
            <dt>{t('step.decision')}</dt>
            <dd data-testid="step-decision">{outcomes.join(' ')}</dd>
          </>
        )}
        <dt>{t('step.type')}</dt>
        <dd>
          <code>{row.type}</code>
        </dd>
        <dt>{t('step.path')}</dt>
        <dd>
          <code>{row.path}</code>
        </dd>
        <dt>{t('step.effect')}</dt>
        <dd>{t(`effect.${row.effect}`)}</dd>
        {row.startedAt !== undefined && (
          <>
            <dt>{t('step.startedAt')}</dt>
            <dd>{tr.date(row.startedAt)}</dd>
          </>
        )}
        {took !== undefined && (
          <>
            <dt>{t('step.duration')}</dt>
            <dd>{tr.duration(took)}</dd>
          </>
        )}
        {row.usage && (
          <>
            <dt>{t('run.cost')}</dt>
            <dd>{usageWords(row.usage, tr)}</dd>
          </>
        )}
        {row.cachedAt !== undefined && (
          <>
            <dt>{t('step.cached')}</dt>
            <dd data-testid="from-cache">
              {t('step.cachedAt', { date: tr.date(row.cachedAt) })}
              {saved !== undefined && ` ${t('run.saved', { cost: saved })}`}
            </dd>
          </>
        )}
      </dl>
    </div>
  );
}

/** An error: its sentence and code, and what caused it. */
export function ErrorFacts({ error, where }: { error: ErrorInfo; where?: string }) {
  const { text, whole } = errorText(error.message);
  return (
    <div class="error-box" data-testid="run-error">
      <div class="error-body">
        <p class="prose" dir="auto">
          {text}
        </p>
        <p class="muted small">
          {t('common.errorCode', { code: error.code })}
          {where !== undefined && <span dir="auto"> · {t('run.inStep', { step: where })}</span>}
        </p>
        {whole !== undefined && <WholeMessage text={whole} />}
        {error.cause && (
          <details>
            <summary>{t('step.causedBy')}</summary>
            <ErrorFacts error={error.cause} where={error.cause.step} />
          </details>
        )}
        {error.details !== undefined && (
          <details>
            <summary>{t('common.details')}</summary>
            <JsonView value={error.details} />
          </details>
        )}
      </div>
    </div>
  );
}

function Attempts({ row, prefer }: { row: StepRunRow; prefer?: ComponentChildren }) {
  if (row.attempts.length === 0) return <Nothing text={t('step.noAttempts')} />;
  return (
    <ol class="stack">
      {row.attempts.map((attempt) => (
        <li key={attempt.number}>
          <OneAttempt attempt={attempt} prefer={prefer} />
        </li>
      ))}
    </ol>
  );
}

function OneAttempt({ attempt, prefer }: { attempt: Attempt; prefer?: ComponentChildren }) {
  const tr = translator.value;
  const took = attempt.endedAt === undefined ? undefined : attempt.endedAt - attempt.startedAt;
  const matched = matchedTarget(attempt);
  return (
    <div class="stack-s">
      <p class="row">
        <b>{t('step.attemptN', { n: attempt.number })}</b>
        <span class="muted small">{tr.date(attempt.startedAt)}</span>
        <span class="muted small">{took === undefined ? t('step.running') : tr.duration(took)}</span>
        {attempt.usage && <span class="muted small">{usageWords(attempt.usage, tr)}</span>}
      </p>
      {attempt.error ? (
        <ErrorFacts error={attempt.error} />
      ) : (
        took !== undefined && <p class="small">{t('step.outcomeOk')}</p>
      )}
      {matched !== undefined && <p class="muted small">{t('step.matched', { n: matched })}</p>}
      {prefer && matched !== undefined && !attempt.error && prefer}
      {hasYielded(attempt) && <p class="muted small">{t('step.yielded')}</p>}
      {attempt.delayMs !== undefined && (
        <p class="muted small">{t('step.nextAfter', { duration: tr.duration(attempt.delayMs) })}</p>
      )}
    </div>
  );
}
