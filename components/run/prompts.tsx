import type { StepRunRow } from '../../src/model/run.ts';
import { type PromptParts, promptParts } from '../../src/view/prompt-parts.ts';
import { LongText } from '../approval/payload.tsx';
import { t } from '../kit/i18n.tsx';

/** For each attempt of a step that asked a model: exactly what was sent, to which model, and what came back. */
export function Prompts({ row }: { row: StepRunRow }) {
  const all = row.attempts.flatMap((attempt, i) => {
    const parts = promptParts(attempt, row.attempts[i - 1]);
    return parts ? [{ number: attempt.number, parts }] : [];
  });
  if (all.length === 0) return <p class="muted">{t('step.noPrompt')}</p>;
  return (
    <ol class="stack">
      {all.map(({ number, parts }) => (
        <li key={number} class="stack-s" data-testid="prompt">
          <p class="row">
            <b>{t('step.attemptN', { n: number })}</b>
            {parts.model !== undefined && <code class="small">{parts.model}</code>}
          </p>
          <Sent parts={parts} />
          <h4>{t('step.reply')}</h4>
          {parts.reply === undefined ? (
            <p class="muted">{t('step.noReply')}</p>
          ) : (
            <div class="bubble bubble-reply">
              <LongText text={parts.reply} />
            </div>
          )}
          {parts.cut !== undefined && <p class="field-problem">{t('step.cut', { why: parts.cut })}</p>}
        </li>
      ))}
    </ol>
  );
}

function Sent({ parts }: { parts: PromptParts }) {
  return (
    <>
      <h4>{t('step.sent')}</h4>
      {parts.sent.map(({ role, text }) => (
        <div class="bubble" key={role}>
          <span class="muted small">{t(`step.role.${role}`)}</span>
          <LongText text={text} />
        </div>
      ))}
      {parts.faults.length > 0 && (
        <div class="bubble">
          <span class="muted small">{t('step.faults')}</span>
          <ul class="bullets">
            {parts.faults.map((fault) => (
              <li key={fault} class="prose" dir="auto">
                {fault}
              </li>
            ))}
          </ul>
        </div>
      )}
      <p class="muted small">{t('step.sentAlso')}</p>
    </>
  );
}
