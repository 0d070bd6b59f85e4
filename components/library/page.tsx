import { BookMarked, Plus, Upload } from 'lucide-preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { decodeSource } from '../../src/engine/source/bytes.ts';
import type { EntryKind, EntryRow } from '../../src/model/library.ts';
import type { Problem } from '../../src/model/workflow.ts';
import { shortHash } from '../../src/view/run-words.ts';
import { ask } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { Empty, ErrorBox, errorWords, Skeleton } from '../kit/feedback.tsx';
import { t } from '../kit/i18n.tsx';
import { RelativeTime } from '../kit/time.tsx';
import { notify } from '../kit/toast.tsx';
import { state } from '../state.ts';
import { go } from '../surfaces/route.ts';
import { MAX_FILE } from '../workflows/import-page.tsx';
import { ProblemList } from '../workflows/problems.tsx';

const KINDS = ['recipe', 'agent'] as const;

/** Recipes and agents: what there is, new ones, and from files. */
export function LibraryPage() {
  const [entries, setEntries] = useState<EntryRow[]>();
  const [error, setError] = useState<unknown>();
  const [tries, setTries] = useState(0);
  const known = state.value;

  useEffect(() => {
    let current = true;
    ask('entries.list', {}).then(
      (answer) => {
        if (!current) return;
        setEntries(answer.entries);
        setError(undefined);
      },
      (reason: unknown) => current && setError(reason),
    );
    return () => {
      current = false;
    };
  }, [known, tries]);

  return (
    <div class="page">
      <div class="section-title">
        <h2 class="page-title">{t('nav.library')}</h2>
        <FromFile />
      </div>
      <p>{t('entries.lead')}</p>
      {error !== undefined && <ErrorBox error={error} onRetry={() => setTries(tries + 1)} />}
      {!entries && error === undefined && <Skeleton lines={5} />}
      {entries &&
        KINDS.map((kind) => <Group key={kind} kind={kind} entries={entries.filter((one) => one.kind === kind)} />)}
    </div>
  );
}

function Group({ kind, entries }: { kind: EntryKind; entries: EntryRow[] }) {
  const recipe = kind === 'recipe';
  return (
    <section class="stack-s" data-testid={`entries-${kind}`}>
      <div class="section-title">
        <h3>{t(recipe ? 'entries.recipes' : 'entries.agents')}</h3>
        <a class="button button-small" href={`#/library/${kind}`} data-testid={`new-${kind}`}>
          <Plus size={14} aria-hidden="true" />
          {t(recipe ? 'entries.newRecipe' : 'entries.newAgent')}
        </a>
      </div>
      {entries.length === 0 ? (
        <Empty
          icon={<BookMarked size={28} aria-hidden="true" />}
          title={t(recipe ? 'entries.noRecipes' : 'entries.noAgents')}
          next={t(recipe ? 'entries.noRecipesNext' : 'entries.noAgentsNext')}
        />
      ) : (
        <ul class="card list">
          {entries.map((entry) => (
            <li class="workflow-row" data-testid="entry-row" key={entry.id}>
              <div class="grow stack-s">
                <a href={`#/library/${kind}/${encodeURIComponent(entry.id)}`} dir="auto">
                  <b>{entry.name}</b>
                </a>
                {entry.description !== undefined && (
                  <p class="muted small" dir="auto">
                    {entry.description}
                  </p>
                )}
                <p class="row facts small muted">
                  <code>{entry.id}</code>
                  <span class="mono" title={entry.revision}>
                    {shortHash(entry.revision)}
                  </span>
                  <span>
                    {t('entries.changed')} <RelativeTime at={entry.updatedAt} />
                  </span>
                </p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Takes a file in: what is right goes into the library at once, what is wrong is shown with its places. */
function FromFile() {
  const file = useRef<HTMLInputElement>(null);
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const [busy, setBusy] = useState(false);
  const read = async (given: File | undefined) => {
    if (!given) return;
    setBusy(true);
    setProblems([]);
    try {
      const decoded = given.size > MAX_FILE ? undefined : decodeSource(new Uint8Array(await given.arrayBuffer()));
      if (!decoded) notify(t('entries.tooLarge'));
      else if ('problem' in decoded) setProblems([decoded.problem]);
      else {
        const answer = await ask('entry.save', { source: decoded.text });
        if ('refused' in answer) setProblems(answer.refused.problems);
        else {
          notify(t('entries.added', { name: answer.row.name }));
          go('library', answer.row.kind, answer.row.id);
        }
      }
    } catch (reason) {
      notify(errorWords(reason).text);
    }
    setBusy(false);
  };
  return (
    <div class="stack-s">
      <Button busy={busy} icon={<Upload size={16} aria-hidden="true" />} onClick={() => file.current?.click()}>
        {t('entries.fromFile')}
      </Button>
      <input
        ref={file}
        type="file"
        hidden
        accept=".yaml,.yml,.json"
        data-testid="entry-file"
        onChange={(event) => {
          void read(event.currentTarget.files?.[0]);
          event.currentTarget.value = '';
        }}
      />
      {problems.length > 0 && (
        <div role="alert">
          <ProblemList problems={problems} />
        </div>
      )}
    </div>
  );
}
