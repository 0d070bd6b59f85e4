import { OctagonX, Play, Stethoscope } from 'lucide-preact';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { SurfaceState } from '../../src/app/protocol.ts';
import { Button } from '../kit/button.tsx';
import { ErrorBox, Skeleton } from '../kit/feedback.tsx';
import { t } from '../kit/i18n.tsx';
import { Announcer } from '../kit/toast.tsx';
import { openApp } from '../platform.ts';
import { stopAll } from '../run/actions.ts';
import { refresh, state, stateError } from '../state.ts';

/** The state of everything in a word, and the emergency stop. */
export function StateBar({ state: now }: { state: SurfaceState | undefined }) {
  return (
    <div class="state-bar">
      <span class="mark" aria-hidden="true" />
      <h1 class="grow truncate" data-testid="state-word">
        {t('app.name')}{' '}
        <span class="state-word" data-stopped={now?.stopped ? 'true' : undefined}>
          {now ? stateWord(now) : ''}
        </span>
      </h1>
      {now && (
        <Button
          small
          kind={now.stopped ? 'primary' : now.live.length > 0 ? 'danger' : 'plain'}
          data-testid="stop-all"
          icon={now.stopped ? <Play size={14} aria-hidden="true" /> : <OctagonX size={14} aria-hidden="true" />}
          onClick={() => void stopAll(now.stopped)}
        >
          {now.stopped ? t('state.lift') : t('state.stopAll')}
        </Button>
      )}
    </div>
  );
}

function stateWord(now: SurfaceState): string {
  const waiting = now.approvals.length + now.waiting.filter((one) => one.kind !== 'wait').length;
  if (now.stopped) return t('state.stopped');
  if (waiting > 0) return t('state.waiting', { n: waiting });
  const working = now.live.filter((run) => run.status === 'running' || run.status === 'queued').length;
  return working > 0 ? t('state.running', { n: working }) : t('state.idle');
}

/** Route of the page that says what is wrong, also where the background cannot start. */
export const DIAGNOSTICS = '#/settings/diagnostics';
/** A background that starts takes a moment, on a slow machine several seconds. Milliseconds. */
const SLOW = 8000;

/** What every surface does around its content: the state bar, the stop's banner, loading, failure, announcements. */
export function Shell({
  children,
  footer,
  name,
  nav,
  alone,
  onDiagnose = () => void openApp(DIAGNOSTICS),
}: {
  children: (state: SurfaceState) => ComponentChildren;
  footer?: ComponentChildren;
  name: string;
  nav?: ComponentChildren;
  /** Content that needs no state: shown in place of everything that hangs on it. */
  alone?: ComponentChildren;
  onDiagnose?: () => void;
}) {
  const now = state.value;
  const slow = useSlow(now === undefined && stateError.value === undefined);
  return (
    <div class={`surface surface-${name}`}>
      <header class="surface-head">
        <StateBar state={now} />
        {nav}
      </header>
      <main class="surface-main" data-testid="main" data-ready={now ? 'true' : undefined}>
        {now?.stopped && (
          <p class="note" role="status">
            {t('state.stoppedBanner')}
          </p>
        )}
        {now?.storage && (
          <div data-testid="storage-fault">
            <ErrorBox
              text={
                now.storage.full
                  ? t('state.storageFullNext')
                  : t('state.storageFailsNext', { reason: now.storage.message })
              }
              onRetry={() => void refresh()}
            />
          </div>
        )}
        {alone || (
          <>
            {stateError.value !== undefined && (
              <ErrorBox error={stateError.value} onRetry={() => void refresh()}>
                {!now && <p>{t('common.cannotStart')}</p>}
                <Diagnose onOpen={onDiagnose} />
              </ErrorBox>
            )}
            {slow && (
              <div class="note stack-s" role="status" data-testid="slow">
                <p>{t('common.slow')}</p>
                <Diagnose onOpen={onDiagnose} />
              </div>
            )}
            {now ? children(now) : stateError.value === undefined && <Skeleton lines={6} />}
          </>
        )}
      </main>
      {footer}
      <Announcer />
    </div>
  );
}

function Diagnose({ onOpen }: { onOpen: () => void }) {
  return (
    <Button small data-testid="diagnose" icon={<Stethoscope size={14} aria-hidden="true" />} onClick={onOpen}>
      {t('common.diagnostics')}
    </Button>
  );
}

/** True once something has been waited for too long. */
function useSlow(waiting: boolean): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    setSlow(false);
    if (!waiting) return;
    const timer = setTimeout(() => setSlow(true), SLOW);
    return () => clearTimeout(timer);
  }, [waiting]);
  return slow && waiting;
}
