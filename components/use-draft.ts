import { useEffect, useRef, useState } from 'preact/hooks';
import { ask } from './client.ts';

/** Marks this page among all that may write the same draft. */
const WRITER = crypto.randomUUID();

/** Another page has written the same text differently. Nothing of this page is stored until the person has chosen. */
export interface DraftConflict {
  theirs: string;
  /** Stores this page's text in place of the other one. */
  keep(): void;
  /** Shows the other text here. */
  take(): void;
}

/**
 * A text that survives the page: read from the background once, written back on each keystroke (a popup dies without warning, so
 * nothing is put off). What is typed before the stored text arrives wins, unless another page typed it meanwhile: then there is a conflict.
 * A page that comes to front shows what was written elsewhere, unless it has a text of its own. `ready` is true once the stored text
 * has arrived.
 */
export function useDraft(
  key: string,
): [text: string, set: (text: string) => void, ready: boolean, conflict: DraftConflict | undefined] {
  const [text, setText] = useState('');
  const [ready, setReady] = useState(false);
  const [theirs, setTheirs] = useState<string>();
  /** What was stored when we last looked; `touched`: whether this page has written since. */
  const base = useRef('');
  const touched = useRef(false);

  useEffect(() => {
    let current = true;
    touched.current = false;
    base.current = '';
    setReady(false);
    setTheirs(undefined);
    const load = () =>
      ask('draft.get', { key })
        .then((stored) => {
          if (!current || touched.current) return;
          base.current = stored.text;
          setText(stored.text);
        })
        .catch(() => undefined); // Without the store a draft is just not kept.
    void load().finally(() => current && setReady(true));
    const onFront = () => {
      if (document.visibilityState === 'visible') void load();
    };
    addEventListener('focus', onFront);
    document.addEventListener('visibilitychange', onFront);
    return () => {
      current = false;
      removeEventListener('focus', onFront);
      document.removeEventListener('visibilitychange', onFront);
    };
  }, [key]);

  const write = (next: string) => {
    touched.current = true;
    setText(next);
    ask('draft.set', { key, text: next, base: base.current, writer: WRITER })
      .then((answer) => {
        setTheirs(answer.saved ? undefined : answer.theirs);
        // An empty text is no text of ours: what others write is welcome again.
        if (answer.saved && next === '') {
          touched.current = false;
          base.current = '';
        }
      })
      .catch(() => undefined);
  };
  const conflict = theirs === undefined ? undefined : { theirs, keep: () => take(text), take: () => take(theirs) };
  const take = (chosen: string) => {
    base.current = theirs ?? '';
    setTheirs(undefined);
    write(chosen);
  };
  return [text, write, ready, conflict];
}
