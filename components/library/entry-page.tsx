import { Download, FileQuestion, Trash2 } from 'lucide-preact';
import { useEffect, useState } from 'preact/hooks';
import type { Refusal, Requests } from '../../src/app/protocol.ts';
import { type EntryDefinition, type EntryKind, nameOf } from '../../src/model/library.ts';
import { STARTERS } from '../../src/view/entry-starters.ts';
import { refusalWords, shortHash } from '../../src/view/run-words.ts';
import { ask } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { Conflict } from '../kit/conflict.tsx';
import { Empty, ErrorBox, errorWords, Skeleton } from '../kit/feedback.tsx';
import { AreaField } from '../kit/field.tsx';
import { t, translator } from '../kit/i18n.tsx';
import { RelativeTime } from '../kit/time.tsx';
import { notify } from '../kit/toast.tsx';
import { saveFile } from '../platform.ts';
import { state } from '../state.ts';
import { go } from '../surfaces/route.ts';
import { useDraft } from '../use-draft.ts';
import { ProblemList } from '../workflows/problems.tsx';
import { TryOut } from './try-out.tsx';

type Loaded = NonNullable<Requests['entry.get']['out']>;
type Checked = Requests['entry.check']['out'];

/** While somebody types, the text is checked when they pause for so long, milliseconds. */
const PAUSE = 300;

/** One recipe or agent: its file, what is wrong with it, a try-out, its revisions. Without an id a new one. */
export function EntryPage({ kind, id }: { kind: EntryKind; id?: string }) {
  const [loaded, setLoaded] = useState<Loaded | null>();
  const [error, setError] = useState<unknown>();
  const [tries, setTries] = useState(0);
  const known = state.value;

  useEffect(() => {
    if (id === undefined) return;
    let current = true;
    ask('entry.get', { kind, id }).then(
      (next) => {
        if (!current) return;
        setLoaded(next);
        setError(undefined);
      },
      (reason: unknown) => current && setError(reason),
    );
    return () => {
      current = false;
    };
  }, [kind, id, known, tries]);

  if (id === undefined) return <Editor key={kind} kind={kind} onSaved={() => undefined} />;
  if (error !== undefined && !loaded) return <ErrorBox error={error} onRetry={() => setTries(tries + 1)} />;
  if (loaded === undefined) return <Skeleton lines={6} />;
  if (loaded === null)
    return (
      <Empty
        icon={<FileQuestion size={28} aria-hidden="true" />}
        title={t('entries.missing')}
        next={t('entries.missingNext')}
      />
    );
  return <Editor key={loaded.row.revision} kind={kind} loaded={loaded} onSaved={() => setTries(tries + 1)} />;
}

function Editor({ kind, loaded, onSaved }: { kind: EntryKind; loaded?: Loaded; onSaved: () => void }) {
  const row = loaded?.row;
  const [draft, setDraft, , conflict] = useDraft(row ? `entry:${kind}:${row.id}:${row.revision}` : `entry:${kind}`);
  const [checked, setChecked] = useState<Checked>();
  const [refused, setRefused] = useState<Refusal>();
  const [failure, setFailure] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const stored = loaded?.source ?? STARTERS[kind];
  const text = draft === '' ? stored : draft;
  const dirty = text !== stored;
  const errors = checked?.problems.some((problem) => problem.severity === 'error') ?? false;

  useEffect(() => {
    let current = true;
    setRefused(undefined);
    setFailure(undefined);
    const timer = setTimeout(
      () => {
        ask('entry.check', { source: text }).then(
          (answer) => current && setChecked(answer),
          (reason: unknown) => current && setFailure(reason),
        );
      },
      checked ? PAUSE : 0,
    );
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [text]);

  const save = async () => {
    setBusy(true);
    setRefused(undefined);
    setFailure(undefined);
    try {
      const answer = await ask('entry.save', { source: text, ...(row && { as: { kind, id: row.id } }) });
      if ('refused' in answer) {
        setRefused(answer.refused);
        setChecked({ definition: null, exists: row !== undefined, problems: answer.refused.problems });
      } else {
        setDraft('');
        const { row: saved } = answer;
        notify(
          row ? t('entries.saved', { revision: shortHash(saved.revision) }) : t('entries.added', { name: saved.name }),
        );
        if (row) onSaved();
        else go('library', saved.kind, saved.id);
      }
    } catch (reason) {
      setFailure(reason);
    }
    setBusy(false);
  };

  return (
    <div class="page">
      <div class="section-title">
        <div class="stack-s">
          <p>
            <a href="#/library">{t('nav.library')}</a>
          </p>
          <h2 class="page-title" dir="auto">
            {row ? row.name : t(kind === 'recipe' ? 'entries.newRecipe' : 'entries.newAgent')}
          </h2>
          {row && (
            <p class="row facts small muted">
              <span>{t(kind === 'recipe' ? 'entries.recipe' : 'entries.agent')}</span>
              <span class="mono" title={row.revision}>
                {t('approval.revision', { revision: shortHash(row.revision) })}
              </span>
            </p>
          )}
        </div>
        {loaded && <Actions kind={kind} loaded={loaded} />}
      </div>
      {row?.description !== undefined && <p dir="auto">{row.description}</p>}
      {loaded && <Uses kind={kind} loaded={loaded} />}
      <section class="stack-s">
        <AreaField
          label={t('entries.source')}
          value={text}
          onValue={setDraft}
          class="source"
          rows={18}
          spellcheck={false}
          testid="entry-source"
        />
        <Conflict conflict={conflict} />
        <div class="row">
          <Button
            kind="primary"
            inert={errors || (row !== undefined && !dirty)}
            busy={busy}
            data-testid="save-entry"
            onClick={() => void save()}
          >
            {t(row ? 'entries.save' : 'entries.add')}
          </Button>
          {dirty && <Button onClick={() => setDraft('')}>{t('entries.discard')}</Button>}
          {dirty && <span class="muted small">{t('workflows.unsaved')}</span>}
        </div>
        {refused && <ErrorBox text={refusalWords(refused, translator.value)} code={refused.code} />}
        {failure !== undefined && <ErrorBox error={failure} />}
        <div role="status">
          {!row && checked?.exists && checked.definition && <Exists definition={checked.definition} />}
          {checked && checked.problems.length === 0 && <p class="muted">{t('workflows.noProblems')}</p>}
          {checked && <ProblemList problems={checked.problems} />}
        </div>
      </section>
      <TryOut kind={kind} source={text} definition={checked?.definition ?? undefined} broken={errors} />
      {loaded && <Revisions kind={kind} loaded={loaded} onTake={setDraft} />}
    </div>
  );
}

/** Said before a new file becomes another revision of what is there. */
function Exists({ definition }: { definition: EntryDefinition }) {
  const { kind, id } = nameOf(definition);
  return (
    <p class="note" data-testid="entry-exists">
      {t('entries.exists', { kind: t(kind === 'recipe' ? 'entries.recipe' : 'entries.agent'), id })}
    </p>
  );
}

function Actions({ kind, loaded: { row, source, usedBy } }: { kind: EntryKind; loaded: Loaded }) {
  const remove = async () => {
    const { name } = row;
    const question =
      usedBy.length > 0 ? t('entries.removeAskUsed', { name, n: usedBy.length }) : t('entries.removeAsk', { name });
    if (!confirm(question)) return;
    try {
      await ask('entry.remove', { kind, id: row.id });
      notify(t('entries.removed', { name }));
      go('library');
    } catch (reason) {
      notify(errorWords(reason).text);
    }
  };
  return (
    <div class="row">
      <Button
        small
        icon={<Download size={14} aria-hidden="true" />}
        onClick={() => saveFile(`${row.id}.${kind}.yaml`, 'application/yaml', source)}
      >
        {t('entries.download')}
      </Button>
      <Button
        small
        icon={<Trash2 size={14} aria-hidden="true" />}
        data-testid="remove-entry"
        onClick={() => void remove()}
      >
        {t('entries.remove')}
      </Button>
    </div>
  );
}

function Uses({ kind, loaded: { row, usedBy } }: { kind: EntryKind; loaded: Loaded }) {
  return (
    <p class="row small">
      <span class="muted">
        {t('entries.howNamed')} <code>{`${kind}: ${row.id}`}</code>.
      </span>
      {usedBy.length === 0 ? (
        <span class="muted">{t('entries.usedByNone')}</span>
      ) : (
        <span>
          {t('entries.usedBy')}{' '}
          {usedBy.map(({ workflowId, name }, i) => (
            <>
              {i > 0 && ', '}
              <a key={workflowId} href={`#/workflows/${encodeURIComponent(workflowId)}`} dir="auto">
                {name}
              </a>
            </>
          ))}
        </span>
      )}
    </p>
  );
}

function Revisions({
  kind,
  loaded: { row, revisions },
  onTake,
}: {
  kind: EntryKind;
  loaded: Loaded;
  onTake: (source: string) => void;
}) {
  if (revisions.length < 2) return null;
  const take = async (revision: string) => {
    try {
      const found = await ask('entry.get', { kind, id: row.id, revision });
      if (!found) return;
      onTake(found.source);
      notify(t('entries.broughtBack', { revision: shortHash(revision) }));
      document.querySelector<HTMLElement>('[data-testid="entry-source"]')?.focus();
    } catch (reason) {
      notify(errorWords(reason).text);
    }
  };
  return (
    <section class="stack-s" data-testid="entry-revisions">
      <h3>{t('entries.revisions')}</h3>
      <ul class="card list">
        {revisions.map(({ revision, createdAt }) => (
          <li class="list-row" key={revision}>
            <span class="grow row facts small">
              <code title={revision}>{shortHash(revision)}</code>
              <RelativeTime at={createdAt} />
              {revision === row.revision && <span class="badge badge-good">{t('entries.newest')}</span>}
            </span>
            {revision !== row.revision && (
              <Button small onClick={() => void take(revision)}>
                {t('entries.bringBack')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
