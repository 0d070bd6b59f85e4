import { Copy } from 'lucide-preact';
import { useState } from 'preact/hooks';
import { isObject, type Json } from '../../src/model/json.ts';
import { previewJson } from '../../src/view/json-preview.ts';
import { Button } from './button.tsx';
import { t } from './i18n.tsx';
import { notify } from './toast.tsx';

const PAGE = 100;

/** A JSON value to open level by level; long lists come a hundred at a time. Texts are text, never markup. */
export function JsonView({ value, open = true }: { value: Json; open?: boolean }) {
  return (
    <div class="stack-s">
      <div class="json" dir="ltr">
        <Node value={value} open={open} depth={0} />
      </div>
      <div>
        <Button small kind="quiet" icon={<Copy size={14} aria-hidden="true" />} onClick={() => void copy(value)}>
          {t('json.copy')}
        </Button>
      </div>
    </div>
  );
}

async function copy(value: Json): Promise<void> {
  await navigator.clipboard.writeText(typeof value === 'string' ? value : JSON.stringify(value, null, 2));
  notify(t('json.copied'));
}

function Node({ name, value, open, depth }: { name?: string; value: Json; open: boolean; depth: number }) {
  const [isOpen, setOpen] = useState(open || depth === 0);
  const [limit, setLimit] = useState(PAGE);
  const key =
    name === undefined ? null : (
      <>
        <span class="json-key">{name}</span>:{' '}
      </>
    );
  if (typeof value === 'string')
    return (
      <div class="json-line">
        {key}
        <span class="json-text" dir="auto">
          {depth === 0 ? value : JSON.stringify(value)}
        </span>
      </div>
    );
  if (value === null || typeof value !== 'object')
    return (
      <div class="json-line">
        {key}
        <span class="json-plain">{String(value)}</span>
      </div>
    );
  const entries = isObject(value) ? Object.entries(value) : value.map((each, i) => [String(i), each] as const);
  const mark = isObject(value) ? '{}' : '[]';
  if (entries.length === 0)
    return (
      <div class="json-line">
        {key}
        {mark}
      </div>
    );
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {key}
        <span class="muted">
          {isOpen
            ? `${mark} ${isObject(value) ? t('common.fields', { n: entries.length }) : t('common.items', { n: entries.length })}`
            : previewJson(value, 60)}
        </span>
      </summary>
      {isOpen && (
        <div>
          {entries.slice(0, limit).map(([each, inner]) => (
            <Node key={each} name={each} value={inner} open={depth < 1 && entries.length <= 20} depth={depth + 1} />
          ))}
          {entries.length > limit && (
            <Button small kind="quiet" onClick={() => setLimit(limit + PAGE)}>
              {t('common.moreRows', { n: Math.min(PAGE, entries.length - limit) })}
            </Button>
          )}
        </div>
      )}
    </details>
  );
}
