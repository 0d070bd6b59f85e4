import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';

type Kind = 'primary' | 'plain' | 'quiet' | 'danger';

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon'> {
  kind?: Kind;
  small?: boolean;
  /** Shown as working and does nothing when pressed; keeps the focus, which `disabled` would lose. */
  busy?: boolean;
  /** Looks and acts disabled but stays focusable. */
  inert?: boolean;
  icon?: ComponentChildren;
  children?: ComponentChildren;
  'data-testid'?: string;
}

/** A button. `busy` and `inert` are `aria-disabled`, so the focus is not lost and screen readers can say why. */
export function Button({ kind = 'plain', small, busy, inert, icon, children, onClick, ...rest }: ButtonProps) {
  const off = busy || inert;
  return (
    <button
      type="button"
      {...rest}
      class={`button button-${kind}${small ? ' button-small' : ''} ${typeof rest.class === 'string' ? rest.class : ''}`}
      aria-disabled={off ? 'true' : undefined}
      aria-busy={busy ? 'true' : undefined}
      onClick={(event) => {
        if (off) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {icon}
      <span class="button-text">{children}</span>
    </button>
  );
}
