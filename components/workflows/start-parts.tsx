import { useEffect, useState } from 'preact/hooks';
import type { Refusal, Requests } from '../../src/app/protocol.ts';
import { refusalWords } from '../../src/view/run-words.ts';
import { ask } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { ErrorBox } from '../kit/feedback.tsx';
import { t, translator } from '../kit/i18n.tsx';
import { grantsVersion } from '../state.ts';
import { ProblemList } from './problems.tsx';

/** What every form that starts a run has: the question of consent, what may refuse it, missing grants. */

export type Consent = Requests['consent.get']['out']['consents'][number];

/**
 * Gives the consents that a person has just allowed, and asks which are still missing.
 * @param about the workflow, or the file of a recipe or agent, that is to be started
 */
export async function openConsents(
  about: Requests['consent.get']['in'],
  allow: readonly Consent[],
): Promise<Consent[]> {
  for (const { account } of allow) await ask('consent.set', { account, given: true });
  const { consents } = await ask('consent.get', about);
  return consents.filter((consent) => consent.given === undefined);
}

/** Why a start has not come to a run: consent that is to be given, a refusal with its problems, a failure. */
export function StartTrouble({
  unasked,
  onAllow,
  refused,
  failure,
}: {
  unasked: readonly Consent[];
  onAllow: () => void;
  refused: Refusal | undefined;
  failure: unknown;
}) {
  return (
    <>
      {unasked.length > 0 && <AskConsent open={unasked} onAllow={onAllow} />}
      {refused && (
        <ErrorBox text={refusalWords(refused, translator.value)} code={refused.code}>
          <ProblemList problems={refused.problems} />
        </ErrorBox>
      )}
      {failure !== undefined && <ErrorBox error={failure} />}
    </>
  );
}

/** Asked once for each place that texts from pages would go to, before the first run that sends any. */
function AskConsent({ open, onAllow }: { open: readonly Consent[]; onAllow: () => void }) {
  return (
    <div class="note missing" role="alert" data-testid="ask-consent">
      <b>{t('form.consent')}</b>
      <p>{t('form.consentNext')}</p>
      <ul class="bullets">
        {open.map(({ account, where }) => (
          <li key={account}>
            <b dir="ltr">{where}</b> <span class="muted small">{t('form.consentAccount', { account })}</span>
          </li>
        ))}
      </ul>
      <div>
        <Button small kind="primary" data-testid="allow-consent" onClick={onAllow}>
          {t('form.consentAllow')}
        </Button>
      </div>
    </div>
  );
}

/** Origins of a workflow's sites that are not granted; asked again when grants change. */
export function useMissingGrants(sites: string[]): string[] {
  const [missing, setMissing] = useState<string[]>([]);
  const version = grantsVersion.value;
  const key = sites.join('\n');
  useEffect(() => {
    let current = true;
    if (sites.length === 0) setMissing([]);
    else
      ask('grants.missing', { sites }).then(
        (answer) => current && setMissing(answer.origins),
        () => undefined,
      ); // The start itself refuses with the reason.
    return () => {
      current = false;
    };
  }, [key, version]);
  return missing;
}
