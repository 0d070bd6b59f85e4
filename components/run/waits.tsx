import { Hourglass, KeyRound, TriangleAlert, Wallet } from 'lucide-preact';
import { useState } from 'preact/hooks';
import type { SurfaceState } from '../../src/app/protocol.ts';
import { pageWanted } from '../../src/engine/page-wait.ts';
import { isObject, type Json } from '../../src/model/json.ts';
import { monthAsked } from '../../src/model/spending.ts';
import { actSentence } from '../../src/view/act-sentence.ts';
import { recoveryCause } from '../../src/view/recovery.ts';
import { isEverySite, siteWords } from '../../src/view/run-words.ts';
import { ask } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { errorWords } from '../kit/feedback.tsx';
import { AreaField, TextField } from '../kit/field.tsx';
import { t, translator } from '../kit/i18n.tsx';
import { notify } from '../kit/toast.tsx';
import { requestAccess } from '../platform.ts';
import { refresh } from '../state.ts';
import { act } from './actions.ts';
import { ReviewCard } from './review-card.tsx';
import { TaskCard } from './task-card.tsx';
import { Frame } from './wait-frame.tsx';

type Waiting = SurfaceState['waiting'][number];

/** Steps that wait for a person in another way than by an approval, each with the buttons that answer it. */
export function Waits({ waiting }: { waiting: readonly Waiting[] }) {
  if (waiting.length === 0) return null;
  return (
    <section class="stack" aria-label={t('waits.heading')}>
      <h2>{t('waits.heading')}</h2>
      {waiting.map((one) => (
        <WaitCard one={one} key={`${one.runId}/${one.path}/${one.kind}`} />
      ))}
    </section>
  );
}

function WaitCard({ one }: { one: Waiting }) {
  switch (one.kind) {
    case 'recovery':
      return <Recovery one={one} />;
    case 'permission':
      return <Permission one={one} />;
    case 'budget':
      return <Budget one={one} />;
    case 'review':
      return <ReviewCard one={one} key={one.subject} />;
    case 'task':
      return <TaskCard one={one} />;
    default:
      return <Wakeable one={one} />;
  }
}

/** What ends by its time or an event, or by hand. */
function Wakeable({ one }: { one: Waiting }) {
  const page = pageWanted(one.data);
  return (
    <Frame
      one={one}
      title={t(page ? 'waits.page' : 'waits.wait')}
      why={page && t('waits.pageNext')}
      icon={<Hourglass size={16} class="glyph" aria-hidden="true" />}
    >
      {page && (
        <dl class="pairs small" data-testid="waited-page">
          <dt>{t('waits.pageUrl')}</dt>
          <dd dir="ltr">{page.url}</dd>
          {page.selector !== undefined && [
            <dt key="element">{t('waits.pageElement')}</dt>,
            <dd key="selector" dir="ltr">
              <code>{page.selector}</code>
            </dd>,
          ]}
        </dl>
      )}
      <div>
        <Button
          small
          data-testid="wake"
          onClick={() =>
            void act({ type: 'wake', runId: one.runId, path: one.path }, t('waits.answered', { name: one.name }))
          }
        >
          {t('waits.wake')}
        </Button>
      </div>
    </Frame>
  );
}

function Recovery({ one }: { one: Waiting }) {
  const [asking, setAsking] = useState(false);
  const [output, setOutput] = useState('');
  const [problem, setProblem] = useState<string>();
  const send = (decision: 'retry' | 'done' | 'fail', value?: Json) =>
    void act(
      {
        type: 'recover',
        runId: one.runId,
        path: one.path,
        decision,
        ...(value === undefined ? {} : { output: value }),
      },
      t('waits.answered', { name: one.name }),
    );

  const done = () => {
    if (output.trim() === '') return send('done', null);
    try {
      send('done', JSON.parse(output) as Json);
    } catch (error) {
      setProblem(t('waits.recoveryOutputBad', { reason: error instanceof Error ? error.message : String(error) }));
    }
  };

  return (
    <Frame
      one={one}
      title={t('waits.recovery')}
      why={t(`waits.recoveryWhy.${recoveryCause(one.cause)}`)}
      icon={<TriangleAlert size={16} class="glyph" aria-hidden="true" />}
    >
      <AskedAbout one={one} />
      <p>{t('waits.recoveryNext')}</p>
      <ul class="answers">
        <li>
          {asking && (
            <AreaField
              label={t('waits.recoveryOutput')}
              help={t('waits.recoveryOutputHint')}
              class="mono"
              value={output}
              onValue={(text) => {
                setOutput(text);
                setProblem(undefined);
              }}
              problem={problem}
              testid="recovery-output"
              spellcheck={false}
              placeholder="{}"
            />
          )}
          <Button
            small
            data-testid="recover-done"
            onClick={() => (asking ? done() : setAsking(true))}
            aria-expanded={asking}
          >
            {asking ? t('waits.recoveryDoneSend') : t('waits.recoveryDone')}
          </Button>
          <p class="muted small">{t('waits.recoveryDoneHint')}</p>
        </li>
        <li>
          <Button small data-testid="recover-retry" onClick={() => send('retry')}>
            {t('waits.recoveryRetry')}
          </Button>
          <p class="muted small">{t('waits.recoveryRetryHint')}</p>
        </li>
        <li>
          <Button small kind="danger" data-testid="recover-fail" onClick={() => send('fail')}>
            {t('waits.recoveryFail')}
          </Button>
          <p class="muted small">{t('waits.recoveryFailHint')}</p>
        </li>
      </ul>
    </Frame>
  );
}

/** What was to be done, and the page to look at. */
function AskedAbout({ one: { act, page } }: { one: Waiting }) {
  if (!act && !page) return null;
  const said = act && actSentence(act, translator.value);
  return (
    <dl class="pairs small" data-testid="asked-about">
      {said && [
        <dt key="act">{t('waits.recoveryAct')}</dt>,
        <dd key="act-words" dir="auto">
          {said.verb} {said.target !== undefined && <b dir="auto">{said.target}</b>}
        </dd>,
      ]}
      {page && [
        <dt key="page">{t('waits.recoveryPage')}</dt>,
        <dd key="page-link" class="asked-page">
          {page.title !== '' && <span dir="auto">{page.title} </span>}
          {/^https?:/.test(page.url) ? (
            <a href={page.url} target="_blank" rel="noreferrer" dir="ltr" data-testid="asked-page">
              {page.url}
            </a>
          ) : (
            <span dir="ltr">{page.url}</span>
          )}
        </dd>,
      ]}
    </dl>
  );
}

function Permission({ one }: { one: Waiting }) {
  const [asked, setAsked] = useState(false);
  const origin = one.subject ?? '';
  return (
    <Frame one={one} title={t('waits.permission')} icon={<KeyRound size={16} class="glyph" aria-hidden="true" />}>
      <p>{t('waits.permissionNext', { origin: siteWords(origin, translator.value) })}</p>
      {isEverySite(origin) && <p class="muted small">{t('waits.permissionAll')}</p>}
      <GrantButton origins={[origin]} onAsked={() => setAsked(true)} />
      {asked && (
        <p class="muted small" role="status">
          {t('waits.grantAsked')}
        </p>
      )}
    </Frame>
  );
}

/** Asks the browser for access, straight from the click. What comes of it arrives by itself. */
export function GrantButton({ origins, onAsked }: { origins: string[]; onAsked?: () => void }) {
  const first = origins[0];
  return (
    <div>
      <Button
        small
        kind="primary"
        data-testid="grant"
        icon={<KeyRound size={14} aria-hidden="true" />}
        aria-label={
          origins.length === 1 && first !== undefined
            ? t('waits.grantTo', { origin: siteWords(first, translator.value) })
            : undefined
        }
        onClick={() => {
          requestAccess(origins);
          onAsked?.();
        }}
      >
        {t('waits.grant')}
      </Button>
    </div>
  );
}

function Budget({ one }: { one: Waiting }) {
  const [drafts, setDrafts] = useState<{ tokens?: string; usd?: string }>({});
  const limit = isObject(one.data) && isObject(one.data.limit) ? one.data.limit : {};
  const kinds = (['tokens', 'usd'] as const).filter((kind) => limit[kind] !== undefined);
  const given = Object.fromEntries(
    kinds.flatMap((kind) => {
      const value = Number(drafts[kind] ?? '');
      return value > Number(limit[kind]) ? [[kind, value] as const] : [];
    }),
  );
  const month = monthAsked(one.subject) !== undefined;
  const raise = async () => {
    if (!month)
      return void act({ type: 'raiseBudget', runId: one.runId, ...given }, t('waits.answered', { name: one.name }));
    const result = await ask('spending.raise', { usd: given.usd ?? 0 }).catch((reason: unknown) => ({
      ok: false,
      message: errorWords(reason).text,
    }));
    notify(result.ok ? t('waits.answered', { name: one.name }) : (result.message ?? ''));
    void refresh();
  };
  return (
    <Frame
      one={one}
      title={t(month ? 'waits.month' : 'waits.budget')}
      icon={<Wallet size={16} class="glyph" aria-hidden="true" />}
    >
      <p>{t(month ? 'waits.monthNext' : 'waits.budgetNext')}</p>
      <div class="two">
        {kinds.map((kind) => (
          <TextField
            key={kind}
            label={t(kind === 'tokens' ? 'waits.budgetTokens' : 'waits.budgetUsd')}
            help={t('waits.budgetNow', { limit: Number(limit[kind]) })}
            value={drafts[kind] ?? ''}
            onValue={(text) => setDrafts({ ...drafts, [kind]: text })}
            testid={`budget-${kind}`}
          />
        ))}
      </div>
      <div>
        <Button
          small
          kind="primary"
          data-testid="raise-budget"
          inert={Object.keys(given).length === 0}
          onClick={() => void raise()}
        >
          {t('waits.raise')}
        </Button>
      </div>
    </Frame>
  );
}
