import { useEffect, useState } from 'preact/hooks';
import type { ListedRule } from '../../src/model/rules.ts';
import { ask } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { useClock } from '../kit/clock.ts';
import { ErrorBox, errorWords, Skeleton } from '../kit/feedback.tsx';
import { t, translator } from '../kit/i18n.tsx';
import { notify } from '../kit/toast.tsx';
import { state } from '../state.ts';

/** What the person has allowed for always: for which acts and sites, how often it was used, until when, and taking it back. */
export function RulesSection() {
  const [rules, setRules] = useState<ListedRule[]>();
  const [error, setError] = useState<unknown>();
  const load = () => ask('rules.list', {}).then((answer) => setRules(answer.rules), setError);
  // Asked again with every new state: a run may have used one, or one may have been given or withdrawn elsewhere.
  useEffect(() => void load(), [state.value]);

  const withdraw = async (rule: ListedRule) => {
    try {
      setRules((await ask('rules.withdraw', { ruleId: rule.ruleId })).rules);
      notify(t('standing.withdrawn', { workflow: rule.workflowName }));
    } catch (reason) {
      notify(errorWords(reason).text);
    }
  };

  return (
    <section class="settings-section" data-testid="rules">
      <h3>{t('standing.heading')}</h3>
      <p class="muted">{t('standing.lead')}</p>
      {error !== undefined && <ErrorBox error={error} />}
      {!rules && error === undefined && <Skeleton lines={1} />}
      {rules?.length === 0 && <p class="muted">{t('standing.none')}</p>}
      {rules && rules.length > 0 && (
        <ul class="card list">
          {rules.map((rule) => (
            <Rule rule={rule} onWithdraw={() => void withdraw(rule)} key={rule.ruleId} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Rule({ rule, onWithdraw }: { rule: ListedRule; onWithdraw: () => void }) {
  const tr = translator.value;
  const now = useClock();
  const sites = [...new Set(rule.acts.flatMap(({ origins }) => origins))];
  const ended = now >= rule.expiresAt;
  return (
    <li class="list-row" data-testid="rule" data-rule={rule.ruleId}>
      <span class="grow stack-s">
        <span>
          <b dir="auto">{rule.workflowName}</b> <span dir="auto">· {rule.stepName}</span>
        </span>
        <span class="small" dir="auto">
          {t('standing.allows', { acts: tr.list(rule.acts.map(({ name }) => name)), sites: tr.list(sites) })}
        </span>
        <span class="muted small">
          {t('standing.given', { when: tr.date(rule.createdAt) })} ·{' '}
          {t(ended ? 'standing.ended' : 'standing.ends', { when: tr.date(rule.expiresAt) })}
        </span>
        <span class="muted small" data-testid="rule-uses">
          {rule.lastUsedAt === undefined
            ? t('standing.unused')
            : t('standing.uses', { n: rule.uses, when: tr.date(rule.lastUsedAt) })}
        </span>
      </span>
      <Button
        small
        aria-label={t(ended ? 'standing.removeOf' : 'standing.withdrawOf', {
          workflow: rule.workflowName,
          step: rule.stepName,
        })}
        data-testid="withdraw-rule"
        onClick={onWithdraw}
      >
        {ended ? t('standing.remove') : t('standing.withdraw')}
      </Button>
    </li>
  );
}
