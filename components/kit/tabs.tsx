import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';

export interface Tab<K extends string> {
  key: K;
  label: string;
  content: () => ComponentChildren;
}

/** Tabs after the APG: arrows, Home and End move and select; one panel is drawn. */
export function Tabs<K extends string>({
  label,
  tabs,
  active,
  onChange,
  testid,
}: {
  label: string;
  tabs: Tab<K>[];
  active: K;
  onChange: (key: K) => void;
  testid?: string;
}) {
  const id = useId();
  const bar = useRef<HTMLDivElement>(null);
  const current = tabs.find((tab) => tab.key === active) ?? tabs[0];

  const onKeyDown = (event: KeyboardEvent) => {
    const at = tabs.findIndex((tab) => tab.key === current?.key);
    const rtl = document.documentElement.dir === 'rtl' ? -1 : 1;
    const to = { ArrowRight: at + rtl, ArrowLeft: at - rtl, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = tabs[(to + tabs.length) % tabs.length];
    if (!next) return;
    onChange(next.key);
    bar.current?.querySelector<HTMLElement>(`[data-tab="${next.key}"]`)?.focus();
  };

  return (
    <div class="tabs" data-testid={testid}>
      <div class="tab-bar" role="tablist" aria-label={label} ref={bar} onKeyDown={onKeyDown}>
        {tabs.map((tab) => {
          const selected = tab.key === current?.key;
          return (
            <button
              type="button"
              role="tab"
              class="tab"
              key={tab.key}
              id={`${id}-${tab.key}`}
              data-tab={tab.key}
              data-testid={`tab-${tab.key}`}
              aria-selected={selected}
              aria-controls={selected ? `${id}-panel` : undefined}
              tabIndex={selected ? 0 : -1}
              onClick={() => onChange(tab.key)}
            >
              {tab.label}
            </button>
          );
        })}
      </div>
      {current && (
        <div
          role="tabpanel"
          class="tab-panel"
          id={`${id}-panel`}
          aria-labelledby={`${id}-${current.key}`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the ARIA tabs pattern makes a panel a tab stop
          tabIndex={0}
          key={current.key}
        >
          {current.content()}
        </div>
      )}
    </div>
  );
}
