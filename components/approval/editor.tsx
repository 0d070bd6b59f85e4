import { Plus, Trash2 } from 'lucide-preact';
import { useState } from 'preact/hooks';
import { isObject, type Json, type JsonObject } from '../../src/model/json.ts';
import { draftOf, emptyRow, type FormField, readDraft, roomFor } from '../../src/view/form-model.ts';
import { Button } from '../kit/button.tsx';
import { t } from '../kit/i18n.tsx';
import { problemWords, SchemaControl } from '../kit/schema-field.tsx';

type Problems = Record<string, boolean>;

/**
 * Edits an object by its schema: single fields, groups, and lists of objects as a table with inputs in its cells. `onChange` gets the
 * whole object and whether every field reads well; what the schema does not name is kept as it is.
 */
export function ObjectEditor({
  fields,
  value,
  onChange,
}: {
  fields: readonly FormField[];
  value: JsonObject;
  onChange: (value: JsonObject, good: boolean) => void;
}) {
  const [problems, setProblems] = useState<Problems>({});

  const set = (key: string, next: Json | undefined, good: boolean) => {
    const { [key]: _, ...others } = value;
    const all = { ...problems, [key]: !good };
    setProblems(all);
    onChange(next === undefined ? others : { ...value, [key]: next }, !Object.values(all).some(Boolean));
  };

  return (
    <div class="stack">
      {fields.map((field) => {
        const inner = Object.hasOwn(value, field.key) ? value[field.key] : undefined;
        if (field.kind === 'rows')
          return (
            <Rows
              key={field.key}
              field={field}
              rows={Array.isArray(inner) ? inner : []}
              onChange={(next, good) => set(field.key, next, good)}
            />
          );
        if (field.kind === 'group') {
          return (
            <fieldset key={field.key} class="group">
              <legend class="field-label" dir="auto">
                {field.label}
              </legend>
              <ObjectEditor
                fields={field.fields ?? []}
                value={isObject(inner) ? inner : {}}
                onChange={(next, good) => set(field.key, next, good)}
              />
            </fieldset>
          );
        }
        return (
          <Single key={field.key} field={field} value={inner} onChange={(next, good) => set(field.key, next, good)} />
        );
      })}
    </div>
  );
}

/** One field with its own draft, so that a half-typed number stays as typed. */
function Single({
  field: given,
  value,
  label,
  compact,
  onChange,
}: {
  field: FormField;
  value: Json | undefined;
  label?: string;
  compact?: boolean;
  onChange: (value: Json | undefined, good: boolean) => void;
}) {
  // Chosen once: a control that changed while somebody types would lose the focus.
  const [field] = useState(() => roomFor(given, value));
  const [draft, setDraft] = useState(draftOf(field, value));
  const read = readDraft(field, draft);
  return (
    <SchemaControl
      field={label === undefined ? field : { ...field, label }}
      compact={compact}
      draft={draft}
      problem={read.problem && problemWords(read.problem)}
      onDraft={(next) => {
        setDraft(next);
        const result = readDraft(field, next);
        // An emptied text of an edited value means the empty text, not "leave as it was".
        const empty =
          result.value === undefined && !result.problem && (field.kind === 'text' || field.kind === 'longText')
            ? ''
            : result.value;
        onChange(result.problem ? value : empty, !result.problem);
      }}
    />
  );
}

interface Row {
  id: number;
  value: JsonObject;
  good: boolean;
}

function Rows({
  field,
  rows,
  onChange,
}: {
  field: FormField;
  rows: readonly Json[];
  onChange: (rows: Json[], good: boolean) => void;
}) {
  // Rows have ids of their own, so that removing one does not mix up what is typed in the others.
  const [list, setList] = useState<Row[]>(() =>
    rows.map((value, id) => ({ id, value: isObject(value) ? value : {}, good: true })),
  );
  const columns = field.fields ?? [];

  const change = (next: Row[]) => {
    setList(next);
    onChange(
      next.map((row) => row.value),
      next.every((row) => row.good) && next.length >= (field.minItems ?? 0),
    );
  };
  const short = field.minItems !== undefined && list.length < field.minItems;

  return (
    <fieldset class="group" data-testid={`rows-${field.key}`}>
      <legend class="field-label" dir="auto">
        {field.label}
      </legend>
      <ol class="edit-rows">
        {list.map((row, i) => (
          <li key={row.id} class="edit-row" data-testid="edit-row">
            <span class="edit-row-number muted small">{i + 1}</span>
            <div class="edit-cells">
              {columns.map((column) => (
                <Single
                  key={column.key}
                  compact
                  field={column}
                  label={column.label}
                  value={Object.hasOwn(row.value, column.key) ? row.value[column.key] : undefined}
                  onChange={(value, good) => {
                    const { [column.key]: _, ...others } = row.value;
                    change(
                      list.map((each) =>
                        each.id === row.id
                          ? {
                              ...each,
                              good,
                              value: value === undefined ? others : { ...row.value, [column.key]: value },
                            }
                          : each,
                      ),
                    );
                  }}
                />
              ))}
            </div>
            <button
              type="button"
              class="icon-button"
              data-testid="remove-row"
              aria-label={t('approval.removeRow', { row: i + 1 })}
              title={t('approval.removeRow', { row: i + 1 })}
              onClick={() => change(list.filter((each) => each.id !== row.id))}
            >
              <Trash2 size={16} aria-hidden="true" />
            </button>
          </li>
        ))}
      </ol>
      {short && <p class="field-problem">{t('form.problem.minItems', { limit: field.minItems ?? 0 })}</p>}
      <div>
        <Button
          small
          kind="quiet"
          icon={<Plus size={14} aria-hidden="true" />}
          onClick={() =>
            change([
              ...list,
              { id: Math.max(-1, ...list.map((row) => row.id)) + 1, value: emptyRow(columns), good: true },
            ])
          }
        >
          {t('approval.addRow')}
        </Button>
      </div>
    </fieldset>
  );
}
