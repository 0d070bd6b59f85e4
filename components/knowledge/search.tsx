import { Search } from 'lucide-preact';
import { useEffect, useState } from 'preact/hooks';
import type { PassageHit } from '../../src/model/knowledge.ts';
import { ask } from '../client.ts';
import { ErrorBox } from '../kit/feedback.tsx';
import { SelectField, TextField } from '../kit/field.tsx';
import { t, translator } from '../kit/i18n.tsx';
import { knowledgeVersion } from '../state.ts';

/** While somebody types, it is searched when they pause for so long, milliseconds. */
const PAUSE = 200;
const MOST = 20;

/** Search as workflows do it, with every passage, its score and where it stands. Nothing is searched before something is typed. */
export function KnowledgeSearch({ collections }: { collections: readonly string[] }) {
  const [query, setQuery] = useState('');
  const [collection, setCollection] = useState('');
  const [hits, setHits] = useState<PassageHit[]>();
  const [error, setError] = useState<unknown>();
  const version = knowledgeVersion.value;

  useEffect(() => {
    let current = true;
    setError(undefined);
    if (query.trim() === '') {
      setHits(undefined);
      return;
    }
    const timer = setTimeout(() => {
      ask('knowledge.search', {
        query: query.slice(0, 1000),
        limit: MOST,
        ...(collection !== '' && { collection }),
      }).then(
        (answer) => current && setHits(answer.hits),
        (reason: unknown) => current && setError(reason),
      );
    }, PAUSE);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [query, collection, version]);

  return (
    <section class="stack" aria-label={t('kb.search')}>
      <div class="entry">
        <div class="search grow kb-search">
          <TextField
            label={t('kb.search')}
            type="search"
            value={query}
            onValue={setQuery}
            autocomplete="off"
            testid="kb-search"
          />
          <Search size={15} aria-hidden="true" />
        </div>
        {collections.length > 0 && (
          <SelectField
            label={t('kb.collection')}
            value={collection}
            onValue={setCollection}
            testid="kb-search-collection"
            options={[
              { value: '', label: t('kb.allCollections') },
              ...collections.map((each) => ({ value: each, label: `#${each}` })),
            ]}
          />
        )}
      </div>
      {error !== undefined && <ErrorBox error={error} />}
      <p role="status" class={hits && hits.length > 0 ? 'visually-hidden' : 'muted'}>
        {hits && (hits.length === 0 ? t('kb.foundNone') : t('kb.found', { n: hits.length }))}
      </p>
      {hits && hits.length > 0 && (
        <ol class="card list" data-testid="kb-hits">
          {hits.map((hit, index) => (
            <li class="kb-hit" key={`${hit.documentId}/${index}`} data-testid="kb-hit">
              <div class="row">
                <a class="grow kb-long" href={documentHref(hit.documentId)} dir="auto">
                  {hit.title}
                </a>
                <span class="badge">{t('kb.score', { score: translator.value.number(hit.score, SCORE) })}</span>
              </div>
              {hit.headings.length > 0 && (
                <p class="small muted kb-long" dir="auto">
                  {hit.headings.join(' › ')}
                </p>
              )}
              <p class="kb-long" dir="auto">
                {hit.excerpt}
              </p>
              <p class="small muted kb-long" dir="auto">
                {hit.source?.name ?? hit.documentId}
              </p>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

const SCORE = { minimumFractionDigits: 2, maximumFractionDigits: 2 };

export function documentHref(documentId: string): string {
  return `#/knowledge/${encodeURIComponent(documentId)}`;
}
