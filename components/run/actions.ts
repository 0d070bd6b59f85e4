import type { Command } from '../../src/model/commands.ts';
import { errorText } from '../../src/view/error-text.ts';
import { refusalWords } from '../../src/view/run-words.ts';
import { ask, command } from '../client.ts';
import { errorWords } from '../kit/feedback.tsx';
import { t, translator } from '../kit/i18n.tsx';
import { notify } from '../kit/toast.tsx';
import { refresh } from '../state.ts';

/** Sends a command and tells how it went: `done` when it was taken, else the refusal in words. True when it was taken. */
export async function act(body: Command, done?: string): Promise<boolean> {
  const result = await command(body);
  notify(result.ok ? (done ?? t('common.saved')) : errorText(refusalWords(result, translator.value)).text);
  void refresh();
  return result.ok;
}

/** The emergency stop, or its lifting. */
export async function stopAll(lift: boolean): Promise<void> {
  try {
    await ask('engine.stopAll', { lift });
    notify(lift ? t('state.lifted') : t('state.stopping'));
  } catch (error) {
    notify(errorWords(error).text);
  }
  void refresh();
}
