import { FileQuestion, Trash2 } from 'lucide-preact';
import { useEffect, useState } from 'preact/hooks';
import type { DocumentRevision, Requests } from '../../src/app/protocol.ts';
import { shortHash } from '../../src/view/run-words.ts';
import { ask } from '../client.ts';
import { Button } from '../kit/button.tsx';
import { Empty, ErrorBox, errorWords, Skeleton } from '../kit/feedback.tsx';
import { t, translator } from '../kit/i18n.tsx';
import { notify } from '../kit/toast.tsx';
import { knowledgeVersion } from '../state.ts';
import { go } from '../surfaces/route.ts';
import './knowledge.css';

type Loaded = Requests['knowledge.get']['out'];

/** Characters of a document that are shown at first. */
const SHOWN = 20_000;

/** One document: what is known of it, its revisions, and its text as of one of them. The text is shown as it is, never as markup. */
export function DocumentPage({ documentId }: { documentId: string }) {
  const [revision, setRevision] = useState<string>();
  const [loaded, setLoaded] = useState<Loaded>();
  const [error, setError] = useState<unknown>();
  const [tries, setTries] = useState(0);
  const [removed, setRemoved] = useState(false);
  const version = knowledgeVersion.value;

  useEffect(() => {
    let current = true;
    ask('knowledge.get', { documentId, ...(revision !== undefined && { revision }) }).then(
      (answer) => {
        if (!current) return;
        setLoaded(answer);
        setError(undefined);
      },
      (reason: unknown) => current && setError(reason),
    );
    return () => {
      current = false;
    };
  }, [documentId, revision, version, tries]);

  const change = async (what: () => Promise<unknown>) => {
    try {
      await what();
    } catch (reason) {
      notify(errorWords(reason).text);
    }
  };
  const restore = (which?: string) =>
    change(async () => {
      const answer = await ask('knowledge.restore', { documentId, ...(which !== undefined && { revision: which }) });
      setRemoved(false);
      setRevision(undefined);
      notify(
        !answer.restored
          ? t('kb.restoreGone')
          : which === undefined
            ? t('kb.restored', { title: documentId })
            : t('kb.revisionRestored'),
      );
    });

  if (error !== undefined) return <ErrorBox error={error} onRetry={() => setTries(tries + 1)} />;
  if (loaded === undefined) return <Skeleton lines={6} />;
  if (loaded === null)
    return (
      <Empty
        icon={<FileQuestion size={28} aria-hidden="true" />}
        title={t('kb.missing')}
        next={removed ? undefined : t('kb.missingNext')}
      >
        <div class="row">
          {removed && (
            <Button small kind="primary" onClick={() => void restore()} data-testid="kb-undo">
              {t('kb.removeUndo')}
            </Button>
          )}
          <Button small onClick={() => go('knowledge')}>
            {t('nav.knowledge')}
          </Button>
        </div>
      </Empty>
    );
  const { document, revisions } = loaded;
  const old = revisions[0]?.revision !== document.revision;
  return (
    <div class="page">
      <div class="section-title kb-title">
        <div class="stack-s">
          <p>
            <a href="#/knowledge">{t('nav.knowledge')}</a>
          </p>
          <h2 class="page-title kb-long" dir="auto">
            {document.title}
          </h2>
        </div>
        <Button
          small
          icon={<Trash2 size={14} aria-hidden="true" />}
          data-testid="kb-remove"
          onClick={() =>
            void change(async () => {
              await ask('knowledge.remove', { documentId });
              setRevision(undefined);
              setRemoved(true);
            })
          }
        >
          {t('kb.remove')}
        </Button>
      </div>
      <dl class="pairs kb-pairs">
        <dt>{t('kb.id')}</dt>
        <dd class="kb-long" dir="auto">
          {document.documentId}
        </dd>
        {document.source && (
          <>
            <dt>{t('kb.source')}</dt>
            <dd class="kb-long" dir="auto">
              {document.source.name ?? document.source.kind}
            </dd>
          </>
        )}
        {document.collections.length > 0 && (
          <>
            <dt>{t('kb.collection')}</dt>
            <dd class="kb-long" dir="auto">
              {translator.value.list(document.collections.map((each) => `#${each}`))}
            </dd>
          </>
        )}
      </dl>
      <section class="stack-s" aria-label={t('kb.revisions')}>
        <h3>{t('kb.revisions')}</h3>
        <ol class="card list" data-testid="kb-revisions">
          {revisions.map((each, index) => (
            <RevisionRow
              key={each.revision}
              revision={each}
              newest={index === 0}
              shown={each.revision === document.revision}
              onShow={() => setRevision(index === 0 ? undefined : each.revision)}
              onRestore={() => void restore(each.revision)}
            />
          ))}
        </ol>
      </section>
      <section class="stack-s" aria-label={t('kb.text')}>
        <h3>{t('kb.text')}</h3>
        {old && <p class="note">{t('kb.revisionOld', { at: translator.value.date(document.updatedAt) })}</p>}
        <Text content={document.content} key={document.revision} />
      </section>
    </div>
  );
}

function RevisionRow({
  revision: { revision, at, by, mode, size },
  newest,
  shown,
  onShow,
  onRestore,
}: {
  revision: DocumentRevision;
  newest: boolean;
  shown: boolean;
  onShow: () => void;
  onRestore: () => void;
}) {
  const when = translator.value.date(at);
  return (
    <li class="list-row kb-row" data-testid="kb-revision">
      <div class="grow stack-s">
        <p class="row">
          <span>{when}</span>
          {newest && <span class="badge badge-good">{t('kb.revisionNow')}</span>}
          {shown && <span class="badge">{t('kb.revisionShown')}</span>}
        </p>
        <p class="small muted kb-long">
          {[
            by ? t('kb.byStep', { path: by.path }) : t('kb.byPerson'),
            t(mode === 'append' ? 'kb.appended' : 'kb.replaced'),
            t('kb.size', { n: size }),
          ].join(' · ')}{' '}
          <code title={revision}>{shortHash(revision)}</code>
        </p>
      </div>
      <div class="row">
        {!shown && (
          <Button small aria-label={t('kb.revisionShowOf', { at: when })} onClick={onShow} data-testid="kb-show">
            {t('kb.revisionShow')}
          </Button>
        )}
        {shown && !newest && (
          <Button small onClick={onRestore} data-testid="kb-restore">
            {t('kb.revisionRestore')}
          </Button>
        )}
      </div>
    </li>
  );
}

/** A text, the beginning first: a very long one would hold the page up. */
function Text({ content }: { content: string }) {
  const [whole, setWhole] = useState(content.length <= SHOWN);
  const shown = whole ? content : content.slice(0, SHOWN).toWellFormed();
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls has to be reached by keyboard */}
      <pre class="card kb-text" dir="auto" tabIndex={0} data-testid="kb-text">
        {shown}
      </pre>
      {!whole && (
        <div class="row">
          <p class="muted small">{t('kb.textCut', { n: SHOWN, total: content.length })}</p>
          <Button small onClick={() => setWhole(true)}>
            {t('kb.textMore')}
          </Button>
        </div>
      )}
    </>
  );
}
