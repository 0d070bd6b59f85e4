import { signal } from '@preact/signals';
import { X } from 'lucide-preact';
import { t } from './i18n.tsx';

const toast = signal<{ text: string; id: number } | undefined>(undefined);
const polite = signal('');
const urgent = signal('');
let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows one sentence at the bottom for six seconds; its place is a live region, so it is read out too. */
export function notify(text: string): void {
  toast.value = { text, id: Math.random() };
  clearTimeout(timer);
  timer = setTimeout(() => {
    toast.value = undefined;
  }, 6000);
}

/** Reads a sentence out without showing it. `urgent` interrupts: only for an approval that is needed, or a failure. */
export function announce(text: string, how: 'polite' | 'urgent' = 'polite'): void {
  (how === 'urgent' ? urgent : polite).value = text;
}

/** The live regions and the toast; once per page. */
export function Announcer() {
  return (
    <>
      <div class="visually-hidden" aria-live="polite" data-testid="live-polite">
        {polite.value}
      </div>
      <div class="visually-hidden" aria-live="assertive" data-testid="live-urgent">
        {urgent.value}
      </div>
      <div role="status">
        {toast.value && (
          <div class="toast" data-testid="toast" key={toast.value.id}>
            <span dir="auto">{toast.value.text}</span>
            <button
              type="button"
              class="icon-button"
              aria-label={t('common.close')}
              onClick={() => {
                toast.value = undefined;
              }}
            >
              <X size={16} aria-hidden="true" />
            </button>
          </div>
        )}
      </div>
    </>
  );
}
