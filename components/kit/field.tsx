import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { t } from './i18n.tsx';

interface Wiring {
  id: string;
  'aria-describedby'?: string;
  'aria-invalid'?: 'true';
  'aria-required'?: 'true';
}

/** A label with its control, help and problem, wired together. The control is made by the function. */
export function Field({
  label,
  help,
  problem,
  required,
  hideLabel,
  children,
}: {
  label: string;
  help?: ComponentChildren;
  problem?: string;
  required?: boolean;
  hideLabel?: boolean;
  children: (wiring: Wiring) => ComponentChildren;
}) {
  const id = useId();
  const described = [help ? `${id}-help` : '', problem ? `${id}-problem` : ''].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id} class={hideLabel ? 'visually-hidden' : 'field-label'}>
        <span dir="auto">{label}</span>
        {required && <span class="muted small"> ({t('common.required')})</span>}
      </label>
      {children({
        id,
        'aria-describedby': described || undefined,
        'aria-invalid': problem ? 'true' : undefined,
        'aria-required': required ? 'true' : undefined,
      })}
      {help && (
        <p class="muted small" id={`${id}-help`} dir="auto">
          {help}
        </p>
      )}
      {problem && (
        <p class="field-problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}

interface TextProps {
  label: string;
  value: string;
  onValue: (value: string) => void;
  help?: ComponentChildren;
  problem?: string;
  hideLabel?: boolean;
  required?: boolean;
  placeholder?: string;
  autocomplete?: 'off' | 'new-password';
  /** Id of a `datalist` with suggestions. */
  list?: string;
  class?: string;
  testid?: string;
  onKeyDown?: (event: KeyboardEvent) => void;
}

/** A one-line text field. */
export function TextField({
  label,
  help,
  problem,
  hideLabel,
  required,
  onValue,
  testid,
  type = 'text',
  ...rest
}: TextProps & { type?: 'text' | 'url' | 'search' | 'password' }) {
  return (
    <Field label={label} help={help} problem={problem} hideLabel={hideLabel} required={required}>
      {(wiring) => (
        // The narrowing: Preact types inputs as a union over literal types, which a variable cannot satisfy.
        <input
          {...rest}
          {...wiring}
          {...({ type } as { type: 'text' })}
          dir="auto"
          class={`input ${rest.class ?? ''}`}
          data-testid={testid}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** A field of several lines. */
export function AreaField({
  label,
  help,
  problem,
  hideLabel,
  required,
  onValue,
  testid,
  rows = 3,
  spellcheck,
  ...rest
}: TextProps & { rows?: number; spellcheck?: boolean }) {
  return (
    <Field label={label} help={help} problem={problem} hideLabel={hideLabel} required={required}>
      {(wiring) => (
        <textarea
          {...rest}
          {...wiring}
          rows={rows}
          dir="auto"
          spellcheck={spellcheck}
          class={`input ${rest.class ?? ''}`}
          data-testid={testid}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** A choice out of a few. */
export function SelectField({
  label,
  help,
  problem,
  hideLabel,
  value,
  options,
  onValue,
  required,
  testid,
}: {
  label: string;
  help?: ComponentChildren;
  problem?: string;
  hideLabel?: boolean;
  required?: boolean;
  value: string;
  options: { value: string; label: string }[];
  onValue: (value: string) => void;
  testid?: string;
}) {
  return (
    <Field label={label} help={help} problem={problem} hideLabel={hideLabel} required={required}>
      {(wiring) => (
        <select
          {...wiring}
          class="input"
          data-testid={testid}
          value={value}
          onChange={(event) => onValue(event.currentTarget.value)}
        >
          {options.map((option) => (
            <option value={option.value} key={option.value} selected={option.value === value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** A box to tick, its label beside it. */
export function CheckField({
  label,
  help,
  checked,
  onValue,
  hideLabel,
  testid,
}: {
  label: string;
  help?: string;
  checked: boolean;
  onValue: (checked: boolean) => void;
  hideLabel?: boolean;
  testid?: string;
}) {
  const id = useId();
  return (
    <div class="field">
      <label class="check" for={id}>
        <input
          id={id}
          type="checkbox"
          checked={checked}
          data-testid={testid}
          onChange={(event) => onValue(event.currentTarget.checked)}
        />
        <span class={hideLabel ? 'visually-hidden' : ''} dir="auto">
          {label}
        </span>
      </label>
      {help && (
        <p class="muted small" dir="auto">
          {help}
        </p>
      )}
    </div>
  );
}
