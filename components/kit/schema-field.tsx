import type { FieldProblem, FormField } from '../../src/view/form-model.ts';
import { AreaField, CheckField, SelectField, TextField } from './field.tsx';
import { t } from './i18n.tsx';

/** A field's problem as one sentence. */
export function problemWords(problem: FieldProblem): string {
  switch (problem.code) {
    case 'min':
    case 'max':
    case 'minLength':
    case 'maxLength':
    case 'minItems':
      return t(`form.problem.${problem.code}`, { limit: problem.limit ?? 0 });
    default:
      return t(`form.problem.${problem.code}`);
  }
}

/** The control for a form field. `compact` puts it in a table row: short label, one line. */
export function SchemaControl({
  field,
  draft,
  problem,
  compact,
  onDraft,
  onKeyDown,
}: {
  field: FormField;
  draft: string | boolean;
  problem?: string;
  compact?: boolean;
  onDraft: (draft: string | boolean) => void;
  onKeyDown?: (event: KeyboardEvent) => void;
}) {
  const common = {
    label: field.label,
    help: compact ? undefined : field.help,
    problem,
    required: !compact && field.required,
  };
  const testid = `field-${field.key}`;
  if (field.kind === 'boolean')
    return (
      <CheckField
        label={field.label}
        help={compact ? undefined : field.help}
        checked={draft === true}
        onValue={onDraft}
      />
    );
  const text = typeof draft === 'string' ? draft : '';
  switch (field.kind) {
    case 'enum': {
      const options = (field.options ?? []).map((option, i) => ({
        value: String(i),
        label: typeof option === 'string' ? option : JSON.stringify(option),
      }));
      const withNone =
        text === '' || text === '-1' || !field.required
          ? [{ value: '', label: t('form.choose') }, ...options]
          : options;
      return (
        <SelectField
          {...common}
          value={text === '-1' ? '' : text}
          options={withNone}
          onValue={onDraft}
          testid={testid}
        />
      );
    }
    case 'longText':
      return <AreaField {...common} value={text} onValue={onDraft} testid={testid} rows={compact ? 2 : 4} />;
    case 'stringList':
      return (
        <AreaField
          {...common}
          help={
            <>
              {field.help ? `${field.help} ` : ''}
              {t('form.list')}
            </>
          }
          value={text}
          onValue={onDraft}
          testid={testid}
        />
      );
    case 'json':
      return (
        <AreaField
          {...common}
          help={
            <>
              {field.help ? `${field.help} ` : ''}
              {t('form.json')}
            </>
          }
          value={text}
          onValue={onDraft}
          testid={testid}
          class="mono"
          spellcheck={false}
        />
      );
    default:
      return (
        <TextField
          {...common}
          value={text}
          type={field.kind === 'uri' ? 'url' : 'text'}
          onValue={onDraft}
          onKeyDown={onKeyDown}
          testid={testid}
        />
      );
  }
}
