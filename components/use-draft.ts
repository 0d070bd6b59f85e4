import { useEffect, useRef, useState } from 'preact/hooks';
import { ask } from './client.ts';

/**
 * A text that survives the page: read from the background once, written back on each keystroke (a popup dies without warning, so
 * nothing is put off). What is typed before the stored text arrives wins. `ready` is true once the stored text has arrived.
 */
export function useDraft(key: string): [text: string, set: (text: string) => void, ready: boolean] {
  const [text, setText] = useState('');
  const [ready, setReady] = useState(false);
  const touched = useRef(false);

  useEffect(() => {
    let current = true;
    touched.current = false;
    setReady(false);
    ask('draft.get', { key })
      .then((stored) => {
        if (current && !touched.current) setText(stored.text);
      })
      .catch(() => undefined) // Without the store a draft is just not kept.
      .finally(() => current && setReady(true));
    return () => {
      current = false;
    };
  }, [key]);

  const set = (next: string) => {
    touched.current = true;
    setText(next);
    void ask('draft.set', { key, text: next }).catch(() => undefined);
  };
  return [text, set, ready];
}
