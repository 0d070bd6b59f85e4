import { CircleAlert, RotateCw } from 'lucide-preact';
import type { ComponentChildren } from 'preact';
import { TabloomError, toErrorInfo } from '../../src/model/errors.ts';
import { errorText } from '../../src/view/error-text.ts';
import { refusalWords } from '../../src/view/run-words.ts';
import { Button } from './button.tsx';
import { t, translator } from './i18n.tsx';

/** What stands where there is nothing yet: what it means, and what to do first. */
export function Empty({
  title,
  next,
  icon,
  children,
}: {
  title: string;
  next?: string;
  icon?: ComponentChildren;
  children?: ComponentChildren;
}) {
  return (
    <div class="empty" data-testid="empty">
      {icon}
      <p class="empty-title">{title}</p>
      {next && <p class="muted">{next}</p>}
      {children}
    </div>
  );
}

/** Grey lines while something loads. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div class="skeleton" role="status" data-testid="loading">
      <span class="visually-hidden">{t('common.loading')}</span>
      {Array.from({ length: lines }, (_, i) => (
        <div class="skeleton-line" key={i} />
      ))}
    </div>
  );
}

/** Anything thrown, as one sentence with its code and a next step; the whole message where it is longer. */
export function errorWords(error: unknown): { text: string; whole?: string; code: string } {
  const info = toErrorInfo(error);
  const { code } = info;
  if (code === 'unreachable') return { text: `${t('common.unreachable')} ${t('common.unreachableNext')}`, code };
  return { ...errorText(TabloomError.is(error) ? refusalWords(info, translator.value) : info.message), code };
}

/** The whole of a message too long to be shown at once, folded. */
export function WholeMessage({ text }: { text: string }) {
  return (
    <details>
      <summary>{t('common.wholeMessage')}</summary>
      <p class="prose small whole-message" dir="auto">
        {text}
      </p>
    </details>
  );
}

/** An error with what to do about it. */
export function ErrorBox({
  error,
  text,
  code,
  onRetry,
  children,
}: {
  error?: unknown;
  text?: string;
  code?: string;
  onRetry?: () => void;
  children?: ComponentChildren;
}) {
  const words = error === undefined ? { ...errorText(text ?? t('common.error')), code } : errorWords(error);
  return (
    <div class="error-box" role="alert" data-testid="error">
      <CircleAlert size={18} class="glyph" aria-hidden="true" />
      <div class="error-body">
        <p dir="auto">{words.text}</p>
        {words.code && <p class="muted small">{t('common.errorCode', { code: words.code })}</p>}
        {words.whole !== undefined && <WholeMessage text={words.whole} />}
        {children}
        {onRetry && (
          <Button small icon={<RotateCw size={14} aria-hidden="true" />} onClick={onRetry}>
            {t('common.retry')}
          </Button>
        )}
      </div>
    </div>
  );
}
