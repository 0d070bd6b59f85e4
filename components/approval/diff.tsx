import { isObject, type Json } from '../../src/model/json.ts';
import { labelOf } from '../../src/view/json-preview.ts';
import { textDiff } from '../../src/view/text-diff.ts';
import { type Change, valueDiff } from '../../src/view/value-diff.ts';
import { t } from '../kit/i18n.tsx';

/** Before and after of every changed place; removed and added texts are marked by words and line, not by colour alone. */
export function Changes({ before, after }: { before: Json; after: Json }) {
  const changes = valueDiff(before, after);
  if (changes.length === 0) return <p class="muted small">{t('approval.noChanges')}</p>;
  return (
    <div class="stack-s" data-testid="diff">
      <h4>{t('approval.changes', { n: changes.length })}</h4>
      <ul class="stack-s">
        {changes.map((change) => (
          <li key={JSON.stringify(change.place)} class="change">
            <OneChange change={change} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function OneChange({ change }: { change: Change }) {
  const place = (
    <p class="muted small" dir="auto">
      {change.place.map((step) => (typeof step === 'number' ? `#${step}` : labelOf(step))).join(' › ')}
    </p>
  );
  const { before, after } = change;
  if (before !== undefined && after !== undefined) {
    return (
      <>
        {place}
        {typeof before === 'string' && typeof after === 'string' ? (
          <p class="prose" dir="auto">
            {textDiff(before, after).map((part, i) =>
              part.kind === 'same' ? (
                <span key={i}>{part.text}</span>
              ) : part.kind === 'removed' ? (
                <del key={i}>{part.text}</del>
              ) : (
                <ins key={i}>{part.text}</ins>
              ),
            )}
          </p>
        ) : (
          <p>
            <del>
              <span class="visually-hidden">{t('approval.before')} </span>
              {plain(before)}
            </del>{' '}
            →{' '}
            <ins>
              <span class="visually-hidden">{t('approval.after')} </span>
              {plain(after)}
            </ins>
          </p>
        )}
      </>
    );
  }
  return (
    <>
      {place}
      <p>
        {before !== undefined ? (
          <>
            <del>{plain(before)}</del> <span class="muted small">{t('approval.removed')}</span>
          </>
        ) : (
          <>
            <ins>{plain(after ?? null)}</ins> <span class="muted small">{t('approval.added')}</span>
          </>
        )}
      </p>
    </>
  );
}

function plain(value: Json): string {
  if (typeof value === 'string') return value === '' ? t('common.empty') : value;
  if (isObject(value))
    return Object.entries(value)
      .map(([key, inner]) => `${labelOf(key)}: ${typeof inner === 'string' ? inner : JSON.stringify(inner)}`)
      .join(', ');
  return JSON.stringify(value);
}
