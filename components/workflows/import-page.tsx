import { useEffect, useId, useState } from 'preact/hooks';
import type { Refusal, Requests } from '../../src/app/protocol.ts';
import { decodeSource } from '../../src/engine/source/bytes.ts';
import type { Problem } from '../../src/model/workflow.ts';
import type { ImportPreview } from '../../src/view/import-preview.ts';
import { refusalWords } from '../../src/view/run-words.ts';
import { ask } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { Conflict } from '../kit/conflict.tsx';
import { ErrorBox } from '../kit/feedback.tsx';
import { AreaField } from '../kit/field.tsx';
import { t, translator } from '../kit/i18n.tsx';
import { notify } from '../kit/toast.tsx';
import { refresh } from '../state.ts';
import { go } from '../surfaces/route.ts';
import { useDraft } from '../use-draft.ts';
import { ProblemList } from './problems.tsx';

/** Bytes of a file that is taken in at most. */
export const MAX_FILE = 1024 * 1024;

type Checked = Requests['workflow.check']['out'];

/** While somebody types, the text is checked when they pause for so long, milliseconds. */
const PAUSE = 300;

/** Import by file or paste: what the workflow wants, and its problems, are shown before it is saved; it arrives switched off. */
export function ImportPage() {
  const [source, setSource, , conflict] = useDraft('import');
  const [checked, setChecked] = useState<Checked>();
  const [tooLarge, setTooLarge] = useState(false);
  /** Why a file that was chosen is no text. */
  const [unreadable, setUnreadable] = useState<Problem>();
  const [refused, setRefused] = useState<Refusal>();
  const [failure, setFailure] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const fileId = useId();

  useEffect(() => {
    let current = true;
    setRefused(undefined);
    setFailure(undefined);
    setUnreadable(undefined);
    setTooLarge(source.length > MAX_FILE);
    if (source.trim() === '' || source.length > MAX_FILE) {
      setChecked(undefined);
      return;
    }
    const timer = setTimeout(() => {
      ask('workflow.check', { source }).then(
        (answer) => current && setChecked(answer),
        (reason: unknown) => current && setFailure(reason),
      );
    }, PAUSE);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [source]);
  const errors = checked?.problems.filter((problem) => problem.severity === 'error').length ?? 0;

  const read = async (file: File | undefined) => {
    if (!file) return;
    setUnreadable(undefined);
    if (file.size > MAX_FILE) {
      setTooLarge(true);
      return;
    }
    const decoded = decodeSource(new Uint8Array(await file.arrayBuffer()));
    if ('problem' in decoded) setUnreadable(decoded.problem);
    else setSource(decoded.text);
  };

  const save = async (draft = false) => {
    setBusy(true);
    setRefused(undefined);
    setFailure(undefined);
    try {
      const answer = await ask('workflow.import', { source, enable: false, draft });
      if ('refused' in answer) setRefused(answer.refused);
      else {
        setSource('');
        notify(
          answer.problems.some((problem) => problem.severity === 'error')
            ? t('workflows.keptAsDraft')
            : t('import.saved', { workflow: checked?.wants?.name ?? answer.workflowId }),
        );
        await refresh();
        go('workflows', answer.workflowId);
      }
    } catch (error) {
      setFailure(error);
    }
    setBusy(false);
  };

  return (
    <div class="page">
      <div class="stack-s">
        <p>
          <a href="#/workflows">{t('nav.workflows')}</a>
        </p>
        <h2 class="page-title">{t('import.heading')}</h2>
        <p>{t('import.lead')}</p>
      </div>
      <div class="field">
        <label class="field-label" for={fileId}>
          {t('import.file')}
        </label>
        <input
          id={fileId}
          type="file"
          accept=".yaml,.yml,.json"
          data-testid="import-file"
          onChange={(event) => void read(event.currentTarget.files?.[0])}
        />
      </div>
      <AreaField
        label={t('import.paste')}
        value={source}
        onValue={setSource}
        class="source"
        rows={14}
        spellcheck={false}
        testid="import-source"
      />
      <Conflict conflict={conflict} />
      {tooLarge && (
        <p class="field-problem" role="status">
          {t('import.tooLarge')}
        </p>
      )}
      {unreadable && <ProblemList problems={[unreadable]} />}
      {checked && <Problems checked={checked} errors={errors} />}
      {checked?.wants && <Wants preview={checked.wants} />}
      {refused && (
        <ErrorBox text={refusalWords(refused, translator.value)} code={refused.code}>
          <ProblemList problems={refused.problems} />
        </ErrorBox>
      )}
      {failure !== undefined && <ErrorBox error={failure} />}
      <div class="row">
        <Button
          kind="primary"
          inert={source.trim() === '' || tooLarge || errors > 0}
          busy={busy}
          data-testid="import-save"
          onClick={() => void save()}
        >
          {t('import.save')}
        </Button>
        {errors > 0 && !tooLarge && (
          <Button busy={busy} data-testid="keep-draft" onClick={() => void save(true)}>
            {t('workflows.keepDraft')}
          </Button>
        )}
      </div>
    </div>
  );
}

/** What is wrong with the file, or that nothing is; read out when it changes. */
function Problems({ checked, errors }: { checked: Checked; errors: number }) {
  return (
    <section class="stack-s" data-testid="import-problems" aria-label={t('workflows.problems')}>
      <p role="status" class={errors > 0 ? 'field-problem' : 'muted'}>
        {errors > 0
          ? t('import.hasErrors', { n: errors })
          : checked.problems.length > 0
            ? t('import.hasWarnings', { n: checked.problems.length })
            : t('workflows.noProblems')}
      </p>
      <ProblemList problems={checked.problems} />
    </section>
  );
}

function Wants({ preview }: { preview: ImportPreview }) {
  const tr = translator.value;
  const { effects } = preview;
  const lines = [
    effects.once > 0 && t('import.effectOnce', { n: effects.once }),
    effects.idempotent > 0 && t('import.effectIdempotent', { n: effects.idempotent }),
    effects.read > 0 && t('import.effectRead', { n: effects.read }),
    effects.pure > 0 && t('import.effectPure', { n: effects.pure }),
    preview.sendsToModel && t('import.sendsToModel'),
    preview.mcpServers.length > 0 && t('import.usesMcp', { servers: tr.list(preview.mcpServers) }),
    preview.secrets.length > 0 && t('import.usesSecrets', { names: tr.list(preview.secrets) }),
    preview.startsItself.length > 0 && t('import.startsItself', { triggers: tr.list(preview.startsItself) }),
  ].filter((line) => line !== false);
  return (
    <section class="card wants" data-testid="import-preview" aria-label={t('import.preview')}>
      <h3>{t('import.preview')}</h3>
      <div>
        <p>
          <b dir="auto">{preview.name}</b> <code class="muted">{preview.id}</code>
        </p>
        {preview.description !== undefined && (
          <p class="muted" dir="auto">
            {preview.description}
          </p>
        )}
      </div>
      <div class="columns">
        <div class="stack-s">
          <h4>{t('import.sites')}</h4>
          {preview.sites.length === 0 ? (
            <p class="muted">{t('workflows.noSites')}</p>
          ) : (
            <ul class="bullets">
              {preview.sites.map((site) => (
                <li key={site} dir="ltr">
                  <b>{site}</b>
                </li>
              ))}
            </ul>
          )}
        </div>
        <div class="stack-s">
          <h4>{t('import.steps')}</h4>
          <ul class="chips">
            {preview.steps.map((step) => (
              <li class="badge" key={step.label}>
                {step.label}
                {step.count > 1 ? ` × ${tr.number(step.count)}` : ''}
              </li>
            ))}
          </ul>
        </div>
        <div class="stack-s">
          <h4>{t('import.effects')}</h4>
          <ul class="bullets">
            {lines.map((line) => (
              <li key={line}>{line}</li>
            ))}
            <li>
              <b>
                {preview.approvals === 0 ? t('import.noApprovals') : t('import.approvals', { n: preview.approvals })}
              </b>
            </li>
          </ul>
        </div>
      </div>
    </section>
  );
}
