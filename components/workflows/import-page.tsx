import { useEffect, useId, useState } from 'preact/hooks';
import type { Refusal } from '../../src/app/protocol.ts';
import { type ImportPreview, importPreview } from '../../src/view/import-preview.ts';
import { refusalWords } from '../../src/view/run-words.ts';
import { ask } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { ErrorBox } from '../kit/feedback.tsx';
import { AreaField } from '../kit/field.tsx';
import { t, translator } from '../kit/i18n.tsx';
import { notify } from '../kit/toast.tsx';
import { refresh } from '../state.ts';
import { go } from '../surfaces/route.ts';
import { useDraft } from '../use-draft.ts';
import { ProblemList } from './problems.tsx';

const MAX_FILE = 1024 * 1024;

/** Reads a file as data, for the preview. YAML holds JSON too. Loaded when it is needed, to keep the page's first chunk small. */
async function parse(text: string): Promise<{ value?: unknown; reason?: string }> {
  const { parseDocument } = await import('yaml');
  const doc = parseDocument(text, { merge: false });
  const first = doc.errors[0];
  if (first) return { reason: first.message.split('\n')[0] };
  try {
    return { value: doc.toJS({ maxAliasCount: 0 }) };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Import by file or paste: what the workflow wants is shown before it is saved; it arrives switched off. */
export function ImportPage() {
  const [source, setSource] = useDraft('import');
  const [preview, setPreview] = useState<ImportPreview>();
  const [unreadable, setUnreadable] = useState<string>();
  const [refused, setRefused] = useState<Refusal>();
  const [failure, setFailure] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const fileId = useId();

  useEffect(() => {
    let current = true;
    setRefused(undefined);
    setFailure(undefined);
    if (source.trim() === '') {
      setPreview(undefined);
      setUnreadable(undefined);
      return;
    }
    void parse(source).then(({ value, reason }) => {
      if (!current) return;
      const next = importPreview(value);
      setPreview(next);
      setUnreadable(next ? undefined : (reason ?? 'id, steps'));
    });
    return () => {
      current = false;
    };
  }, [source]);

  const read = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > MAX_FILE) setUnreadable(t('import.tooLarge'));
    else setSource(await file.text());
  };

  const save = async () => {
    setBusy(true);
    setRefused(undefined);
    setFailure(undefined);
    try {
      const answer = await ask('workflow.import', { source, enable: false });
      if ('refused' in answer) setRefused(answer.refused);
      else {
        setSource('');
        notify(
          answer.problems.some((problem) => problem.severity === 'error')
            ? t('workflows.keptAsDraft')
            : t('import.saved', { workflow: preview?.name ?? answer.workflowId }),
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
      {unreadable !== undefined && (
        <p class="field-problem" role="status">
          {t('import.unreadable', { reason: unreadable })}
        </p>
      )}
      {preview && <Wants preview={preview} />}
      {refused && (
        <ErrorBox text={refusalWords(refused, translator.value)} code={refused.code}>
          <ProblemList problems={refused.problems} />
        </ErrorBox>
      )}
      {failure !== undefined && <ErrorBox error={failure} />}
      <div>
        <Button
          kind="primary"
          inert={source.trim() === ''}
          busy={busy}
          data-testid="import-save"
          onClick={() => void save()}
        >
          {t('import.save')}
        </Button>
      </div>
    </div>
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
