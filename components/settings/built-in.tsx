import { Download } from 'lucide-preact';
import { useEffect, useState } from 'preact/hooks';
import { builtInState, downloadBuiltInModel } from '../built-in-model.ts';
import { Button } from '../kit/button.tsx';
import { errorWords } from '../kit/feedback.tsx';
import { t } from '../kit/i18n.tsx';
import { notify } from '../kit/toast.tsx';

type State = Awaited<ReturnType<typeof builtInState>> | 'looking';

/** Whether the browser's own model can be used, and what is to be done where it cannot yet. */
export function BuiltInModel({ account }: { account: string }) {
  const [state, setState] = useState<State>('looking');
  const [part, setPart] = useState<number>();
  const look = () => builtInState().then(setState, () => setState('unavailable'));
  useEffect(() => void look(), []);

  const load = async () => {
    setPart(0);
    try {
      await downloadBuiltInModel(setPart);
    } catch (error) {
      notify(errorWords(error).text);
    }
    setPart(undefined);
    void look();
  };

  return (
    <div class="stack-s" data-testid="built-in">
      <p class="muted small" role="status">
        {part === undefined
          ? state === 'available'
            ? t('settings.builtIn.available', { target: `${account}:built-in` })
            : t(`settings.builtIn.${state}`)
          : t('settings.builtIn.loading', { part: Math.round(part * 100) })}
      </p>
      {(state === 'downloadable' || state === 'downloading') && (
        <div class="row">
          <Button
            small
            busy={part !== undefined}
            icon={<Download size={14} aria-hidden="true" />}
            data-testid="download-built-in"
            onClick={() => void load()}
          >
            {t('settings.builtIn.download')}
          </Button>
        </div>
      )}
    </div>
  );
}
