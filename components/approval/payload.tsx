import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { isObject, type Json } from '../../src/model/json.ts';
import { asTable, type JsonTable, labelOf } from '../../src/view/json-preview.ts';
import { Button } from '../kit/button.tsx';
import { t, translator } from '../kit/i18n.tsx';
import { JsonView } from '../kit/json-view.tsx';

const LONG_TEXT = 1200;
const ROWS = 50;
const RECORDS = 20;

/** What an approval shows: texts to read, objects as pairs, lists of objects as tables. Never markup. */
export function Payload({ value }: { value: Json }) {
  if (isObject(value)) {
    return (
      <dl class="pairs-wide" data-testid="payload">
        {Object.entries(value).map(([key, inner]) => (
          <div key={key} class={isShort(inner) ? 'pair-inline' : 'stack-s'}>
            <dt class="muted small" dir="auto">
              {labelOf(key)}
            </dt>
            <dd>
              <Part value={inner} label={labelOf(key)} />
            </dd>
          </div>
        ))}
      </dl>
    );
  }
  return (
    <div data-testid="payload">
      <Part value={value} label={t('approval.whatIsShown')} />
    </div>
  );
}

const isShort = (value: Json) =>
  value === null ||
  typeof value === 'number' ||
  typeof value === 'boolean' ||
  (typeof value === 'string' && value.length <= 48);

function Part({ value, label }: { value: Json; label: string }) {
  if (typeof value === 'string') return <LongText text={value} />;
  const table = asTable(value);
  if (table) return isWide(table) ? <Records table={table} /> : <DataTable table={table} label={label} />;
  if (Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string')) {
    return (
      <ul class="bullets">
        {(value as string[]).map((each, i) => (
          <li key={i} class="prose" dir="auto">
            {each}
          </li>
        ))}
      </ul>
    );
  }
  if (value === null || typeof value !== 'object') return <span>{scalar(value)}</span>;
  return <JsonView value={value} />;
}

/** A number or boolean in words of the language; `null` as "empty". */
export function scalar(value: null | number | boolean): string {
  if (value === null) return t('common.empty');
  if (typeof value === 'boolean') return value ? t('common.yes') : t('common.no');
  return translator.value.number(value, { maximumFractionDigits: 20 });
}

/** A text, white space kept; a long one can be opened to its full length. */
export function LongText({ text }: { text: string }) {
  const [all, setAll] = useState(false);
  if (text === '') return <span class="muted">{t('common.empty')}</span>;
  const long = text.length > LONG_TEXT;
  return (
    <div class="stack-s">
      <p class="prose" dir="auto">
        {long && !all ? `${text.slice(0, LONG_TEXT)}…` : text}
      </p>
      {long && (
        <div class="row">
          <Button small kind="quiet" onClick={() => setAll(!all)} aria-expanded={all}>
            {all ? t('common.showLess') : t('common.showMore')}
          </Button>
          <span class="muted small">{t('common.characters', { n: text.length })}</span>
        </div>
      )}
    </div>
  );
}

/** Whether a table is too wide to be read in a popup: many columns, or long texts in its cells. */
const isWide = (table: JsonTable) =>
  table.columns.length > 4 || table.rows.some((row) => Object.values(row).some((cell) => cellText(cell).length > 40));

/** A list of objects, one below the other, each as pairs of name and value; twenty at a time. */
function Records({ table }: { table: JsonTable }) {
  const [limit, setLimit] = useState(RECORDS);
  const hidden = table.rows.length - limit;
  return (
    <div class="stack-s">
      <ol class="records">
        {table.rows.slice(0, limit).map((row, i) => (
          <li key={i} class="record" data-testid="record">
            <dl class="pairs small">
              {table.columns
                .filter((column) => Object.hasOwn(row, column))
                .map((column) => (
                  <Fragment key={column}>
                    <dt dir="auto">{labelOf(column)}</dt>
                    <dd class="prose" dir="auto">
                      {cellText(row[column])}
                    </dd>
                  </Fragment>
                ))}
            </dl>
          </li>
        ))}
      </ol>
      <div class="row">
        <span class="muted small">{t('common.rows', { n: table.rows.length })}</span>
        {hidden > 0 && (
          <Button small kind="quiet" onClick={() => setLimit(limit + RECORDS)}>
            {t('common.moreRows', { n: Math.min(RECORDS, hidden) })}
          </Button>
        )}
      </div>
    </div>
  );
}

/** A list of objects as a table that scrolls by itself; fifty rows at a time. */
export function DataTable({ table, label }: { table: JsonTable; label: string }) {
  const [limit, setLimit] = useState(ROWS);
  const hidden = table.rows.length - limit;
  return (
    <div class="stack-s">
      {/* biome-ignore-start lint/a11y: it scrolls sideways, for which keys need a stop; a fieldset is for controls, a section would be a landmark */}
      <div class="table-wrap" tabIndex={0} role="group" aria-label={label}>
        <table>
          <thead>
            <tr>
              {table.columns.map((column) => (
                <th key={column} scope="col" dir="auto">
                  {labelOf(column)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.slice(0, limit).map((row, i) => (
              <tr key={i}>
                {table.columns.map((column) => {
                  const cell = Object.hasOwn(row, column) ? row[column] : undefined;
                  return (
                    <td key={column} class={typeof cell === 'number' ? 'number' : 'prose'} dir="auto">
                      {cellText(cell)}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {/* biome-ignore-end lint/a11y: see above */}
      <div class="row">
        <span class="muted small">{t('common.rows', { n: table.rows.length })}</span>
        {hidden > 0 && (
          <Button small kind="quiet" onClick={() => setLimit(limit + ROWS)}>
            {t('common.moreRows', { n: Math.min(ROWS, hidden) })}
          </Button>
        )}
      </div>
    </div>
  );
}

function cellText(cell: Json | undefined): string {
  if (cell === undefined) return '';
  if (typeof cell === 'string') return cell;
  return cell === null || typeof cell !== 'object' ? scalar(cell) : JSON.stringify(cell);
}
