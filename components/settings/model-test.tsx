import type { Requests } from '../../src/app/protocol.ts';
import { Button } from '../kit/button.tsx';
import { t } from '../kit/i18n.tsx';
import { requestAccess } from '../platform.ts';

/** What came of a test of the model, and the way out where the browser keeps its answers from us. */
export function TestResult({ test }: { test: Requests['models.test']['out'] }) {
  const { ok, message, origin } = test;
  return (
    <div class={ok ? 'note note-info' : 'note'}>
      <p role="status" data-testid="test-result" dir="auto">
        {t(ok ? 'settings.testOk' : 'settings.testFailed', { message })}
      </p>
      {origin !== undefined && (
        <div class="row">
          <Button small data-testid="allow-model-origin" onClick={() => requestAccess([origin])}>
            {t('settings.allowOrigin', { origin })}
          </Button>
        </div>
      )}
    </div>
  );
}
