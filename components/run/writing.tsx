import { useEffect, useState } from 'preact/hooks';
import type { StepRunRow } from '../../src/model/run.ts';
import { ask } from '../client.ts';
import { t } from '../kit/i18n.tsx';
import { writingVersion } from '../state.ts';

interface Text {
  path: string;
  text: string;
}

/**
 * Answers that models are writing now: that of the chosen step, or all of the run. Not a live region: read out word by word it would talk
 * over everything else; that a step has ended is announced.
 */
export function Writing({
  runId,
  steps,
  path,
}: {
  runId: string;
  steps: readonly StepRunRow[];
  path: string | undefined;
}) {
  const [texts, setTexts] = useState<Text[]>([]);
  const running = steps.filter(({ status }) => status === 'running').map((step) => step.path);
  const version = running.length === 0 ? -1 : writingVersion.value;
  useEffect(() => {
    if (version < 0) return setTexts([]);
    let current = true;
    // What cannot be had is not missed: the answer itself comes with its step.
    ask('writing.get', { runId }).then(
      (answer) => current && setTexts(answer.texts),
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [runId, version, running.join('\n')]);

  const shown = texts.filter((one) => running.includes(one.path) && (path === undefined || one.path === path));
  if (shown.length === 0) return null;
  return (
    <section class="stack-s" aria-label={t('run.writing')} data-testid="writing">
      {shown.map((one) => (
        <div class="bubble bubble-reply" key={one.path} aria-busy="true">
          <span class="muted small">
            {t('run.writing')} <code dir="ltr">{one.path}</code>
          </span>
          {/* biome-ignore-start lint/a11y: it scrolls, for which keys need a stop; a fieldset is for controls, a section would be a landmark */}
          <div class="prose writing" dir="auto" tabIndex={0} role="group" aria-label={t('run.writing')}>
            {one.text}
          </div>
          {/* biome-ignore-end lint/a11y: see above */}
        </div>
      ))}
    </section>
  );
}
