import { BookOpen, Download, KeyRound, Trash2, Undo2, Upload } from 'lucide-preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { KnowledgeDocument, KnowledgeEntry } from '../../src/model/knowledge.ts';
import { readKnowledgeFile, writeKnowledgeFile } from '../../src/model/knowledge-file.ts';
import { decodeText } from '../../src/view/documents/kinds.ts';
import { ask } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { Empty, ErrorBox, errorWords, Skeleton } from '../kit/feedback.tsx';
import { SelectField } from '../kit/field.tsx';
import { t } from '../kit/i18n.tsx';
import { RelativeTime } from '../kit/time.tsx';
import { notify } from '../kit/toast.tsx';
import { saveFile } from '../platform.ts';
import { knowledgeVersion } from '../state.ts';
import { AddDocuments } from './add.tsx';
import { useIntake } from './intake.ts';
import './knowledge.css';
import { documentHref, KnowledgeSearch } from './search.tsx';

/** Documents that are drawn at once. */
const DRAWN = 200;

/** The knowledge base: search, add, and what there is. */
export function KnowledgePage() {
  const [documents, setDocuments] = useState<KnowledgeEntry[]>();
  const [error, setError] = useState<unknown>();
  const [tries, setTries] = useState(0);
  const intake = useIntake();
  const version = knowledgeVersion.value;

  useEffect(() => {
    let current = true;
    ask('knowledge.list', {}).then(
      (answer) => {
        if (!current) return;
        setDocuments(answer.documents);
        setError(undefined);
      },
      (reason: unknown) => current && setError(reason),
    );
    return () => {
      current = false;
    };
  }, [version, tries]);

  const collections = [...new Set(documents?.flatMap((each) => each.collections))].sort();
  return (
    <div class="page">
      <div class="stack-s">
        <h2 class="page-title">{t('nav.knowledge')}</h2>
        <p>{t('kb.lead')}</p>
      </div>
      {error !== undefined && <ErrorBox error={error} onRetry={() => setTries(tries + 1)} />}
      {!documents && error === undefined && <Skeleton lines={5} />}
      {documents && (
        <>
          {documents.length > 0 && <KnowledgeSearch collections={collections} />}
          <AddDocuments intake={intake} collections={collections} />
          <Documents documents={documents} collections={collections} intake={intake} />
        </>
      )}
    </div>
  );
}

function Documents({
  documents,
  collections,
  intake,
}: {
  documents: KnowledgeEntry[];
  collections: string[];
  intake: ReturnType<typeof useIntake>;
}) {
  const [collection, setCollection] = useState('');
  const [drawn, setDrawn] = useState(DRAWN);
  /** Removed on this page, the last one first. */
  const [removed, setRemoved] = useState<KnowledgeEntry[]>([]);
  const notices = useRef<HTMLDivElement>(null);
  // The button that was pressed has gone with its row; what takes it back is the nearest place for the focus.
  useEffect(() => notices.current?.querySelector('button')?.focus(), [removed[0]]);
  const shown = documents.filter((each) => collection === '' || each.collections.includes(collection));

  const remove = async (entry: KnowledgeEntry) => {
    try {
      await ask('knowledge.remove', { documentId: entry.documentId });
      setRemoved((before) => [entry, ...before.filter((each) => each.documentId !== entry.documentId)]);
    } catch (reason) {
      notify(errorWords(reason).text);
    }
  };
  const undo = async ({ documentId, title }: KnowledgeEntry) => {
    try {
      const { restored } = await ask('knowledge.restore', { documentId });
      notify(restored ? t('kb.restored', { title }) : t('kb.restoreGone'));
      setRemoved((before) => before.filter((each) => each.documentId !== documentId));
    } catch (reason) {
      notify(errorWords(reason).text);
    }
  };

  return (
    <section class="stack" aria-label={t('kb.documents')}>
      <div class="section-title kb-title">
        <h3>{t('kb.documents')}</h3>
        <Transfer documents={documents} intake={intake} />
      </div>
      <div role="status" class="stack-s" ref={notices}>
        {removed.map((each) => (
          <div class="note note-info kb-removed" data-testid="kb-removed" key={each.documentId}>
            <p class="grow kb-long" dir="auto">
              {t('kb.removed', { title: each.title })}
            </p>
            <Button
              small
              icon={<Undo2 size={14} aria-hidden="true" />}
              data-testid="kb-undo"
              onClick={() => void undo(each)}
            >
              {t('kb.removeUndo')}
            </Button>
          </div>
        ))}
      </div>
      {documents.length === 0 && (
        <Empty icon={<BookOpen size={28} aria-hidden="true" />} title={t('kb.empty')} next={t('kb.emptyNext')} />
      )}
      {documents.length > 0 && (
        <>
          <div class="entry">
            <p class="grow muted kb-total" data-testid="kb-total">
              {t('kb.total', { n: shown.length, size: t('kb.size', { n: sum(shown) }) })}
            </p>
            {collections.length > 0 && (
              <SelectField
                label={t('kb.collection')}
                hideLabel
                value={collection}
                onValue={setCollection}
                testid="kb-filter"
                options={[
                  { value: '', label: t('kb.allCollections') },
                  ...collections.map((each) => ({
                    value: each,
                    label: `#${each} (${documents.filter((one) => one.collections.includes(each)).length})`,
                  })),
                ]}
              />
            )}
          </div>
          <ul class="card list" data-testid="kb-documents">
            {shown.slice(0, drawn).map((entry) => (
              <Row key={entry.documentId} entry={entry} onRemove={() => void remove(entry)} />
            ))}
          </ul>
          {shown.length > drawn && (
            <Button onClick={() => setDrawn(drawn + DRAWN)}>{t('kb.skipMore', { n: shown.length - drawn })}</Button>
          )}
        </>
      )}
    </section>
  );
}

const sum = (documents: readonly KnowledgeEntry[]): number => documents.reduce((all, { size }) => all + size, 0);

function Row({ entry, onRemove }: { entry: KnowledgeEntry; onRemove: () => void }) {
  const { documentId, title, collections, size, passages, secrets, updatedAt } = entry;
  return (
    <li class="list-row kb-row" data-testid="kb-document">
      <div class="grow stack-s">
        <a class="kb-long" href={documentHref(documentId)} dir="auto">
          {title}
        </a>
        <p class="small muted kb-long" dir="auto">
          {documentId}
        </p>
        <p class="row small muted">
          {collections.map((each) => (
            <span class="badge kb-long" key={each} dir="auto">
              #{each}
            </span>
          ))}
          <span>{t('kb.size', { n: size })}</span>
          <span>{t('kb.passages', { n: passages })}</span>
          <span>
            {t('kb.updated')} <RelativeTime at={updatedAt} />
          </span>
          {secrets && (
            <span class="row-tight kb-secret">
              <KeyRound size={14} aria-hidden="true" /> {t('kb.holdsSecrets')}
            </span>
          )}
        </p>
      </div>
      <button
        type="button"
        class="icon-button"
        aria-label={t('kb.removeOf', { title })}
        title={t('kb.removeOf', { title })}
        data-testid="kb-remove"
        onClick={onRemove}
      >
        <Trash2 size={16} aria-hidden="true" />
      </button>
    </li>
  );
}

/** Export and import. */
function Transfer({ documents, intake }: { documents: KnowledgeEntry[]; intake: ReturnType<typeof useIntake> }) {
  const file = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();

  const exportAll = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      const found: KnowledgeDocument[] = [];
      for (const { documentId } of documents) {
        const got = await ask('knowledge.get', { documentId });
        if (got) found.push(got.document);
      }
      saveFile('tabloom-knowledge.json', 'application/json', writeKnowledgeFile(found));
      const secret = documents.filter(({ secrets }) => secrets).length;
      notify(
        [t('kb.exported', { n: found.length }), ...(secret > 0 ? [t('kb.exportSecrets', { n: secret })] : [])].join(
          '. ',
        ),
      );
    } catch (reason) {
      setProblem(errorWords(reason).text);
    }
    setBusy(false);
  };
  const importFile = async (given: File | undefined) => {
    if (!given) return;
    setProblem(undefined);
    try {
      const read = readKnowledgeFile(decodeText(new Uint8Array(await given.arrayBuffer())) ?? '');
      if ('fault' in read) {
        const { reason, where = '', detail = '' } = read.fault;
        return setProblem(t(`kb.fault.${reason}`, { where, detail }));
      }
      await intake.add(read.documents.map(({ id: documentId, ...rest }) => ({ documentId, ...rest })));
    } catch (reason) {
      setProblem(errorWords(reason).text);
    }
  };

  return (
    <div class="stack-s">
      <div class="row">
        <Button
          small
          icon={<Upload size={14} aria-hidden="true" />}
          inert={intake.progress !== undefined}
          onClick={() => file.current?.click()}
        >
          {t('kb.import')}
        </Button>
        <Button
          small
          icon={<Download size={14} aria-hidden="true" />}
          busy={busy}
          inert={documents.length === 0}
          data-testid="kb-export"
          onClick={() => void exportAll()}
        >
          {t('kb.export')}
        </Button>
      </div>
      <input
        ref={file}
        type="file"
        hidden
        accept=".json,application/json"
        data-testid="kb-import"
        onChange={(event) => {
          const [given] = event.currentTarget.files ?? [];
          event.currentTarget.value = '';
          void importFile(given);
        }}
      />
      {problem !== undefined && <ErrorBox text={problem} />}
    </div>
  );
}
